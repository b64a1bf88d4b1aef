// oxlint-disable-next-line typescript/triple-slash-reference -- it declares modules, and is not one
/// <reference path="./undici-files.d.ts" />
import type * as Whole from 'undici';

/** The members of undici that this package uses. */
export interface Undici extends Pick<
  typeof Whole,
  'Agent' | 'buildConnector' | 'Client' | 'errors' | 'Pool' | 'ProxyAgent'
> {
  /** Method of a dispatcher. Only the main module adds it to all dispatchers; `ProxyAgent` needs it on its pools. */
  readonly connect: Whole.Dispatcher['connect'];
}

/**
 * Loads what is used of undici by its files. Its main module also loads `fetch`, WebSocket, caches and mocks: 70 ms instead of 24,
 * and 18 to 25 MiB instead of 10 to 16 (Node.js 20 to 26). It also replaces the dispatcher of the global `fetch`. If a later version
 * has other files, the main module is loaded.
 */
export async function loadUndici(): Promise<Undici> {
  try {
    const [connect, agent, connector, client, errors, pool, proxyAgent] = await Promise.all([
      import('undici/lib/api/api-connect.js'),
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
      import('undici/lib/dispatcher/client.js'),
      import('undici/lib/core/errors.js'),
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/dispatcher/proxy-agent.js'),
    ]);
    return {
      connect: connect.default,
      Agent: agent.default,
      buildConnector: connector.default,
      Client: client.default,
      errors: errors.default,
      Pool: pool.default,
      ProxyAgent: proxyAgent.default,
    };
  } catch {
    // By its file, because Bun replaces the bare name with a stub that opens no connections.
    const whole = await import('undici/index.js');
    // oxlint-disable-next-line typescript/unbound-method -- it becomes a method of another dispatcher
    return { ...whole, connect: whole.Dispatcher.prototype.connect };
  }
}

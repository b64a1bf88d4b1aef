// oxlint-disable-next-line typescript/triple-slash-reference -- it declares modules, and is not one
/// <reference path="./undici-files.d.ts" />
import type * as Whole from 'undici';

/** Names what a request to the configured origin needs of undici, without a proxy. */
export type Undici = Pick<typeof Whole, 'buildConnector' | 'Client'>;

/** Names what requests to other origins and through a proxy need besides. */
export interface UndiciAgents extends Pick<typeof Whole, 'Agent' | 'Pool' | 'ProxyAgent'> {
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
    const [connector, client] = await Promise.all([
      import('undici/lib/core/connect.js'),
      import('undici/lib/dispatcher/client.js'),
    ]);
    return { buildConnector: connector.default, Client: client.default };
  } catch {
    return loadWhole();
  }
}

/** Loads the agents as {@link loadUndici} loads the rest. To load them takes 6 of 30 ms, and most programs do not need them. */
export async function loadUndiciAgents(): Promise<UndiciAgents> {
  try {
    const [connect, agent, pool, proxyAgent] = await Promise.all([
      import('undici/lib/api/api-connect.js'),
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/dispatcher/proxy-agent.js'),
    ]);
    return {
      connect: connect.default,
      Agent: agent.default,
      Pool: pool.default,
      ProxyAgent: proxyAgent.default,
    };
  } catch {
    const whole = await loadWhole();
    // oxlint-disable-next-line typescript/unbound-method -- it becomes a method of another dispatcher
    return { ...whole, connect: whole.Dispatcher.prototype.connect };
  }
}

/** By its file, because Bun replaces the bare name with a stub that opens no connections. */
function loadWhole(): Promise<typeof Whole> {
  return import('undici/index.js');
}

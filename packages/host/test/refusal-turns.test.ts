import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import { expect, it } from 'vitest';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';

/** Calls again and again without a pause, and returns how many turns the event loop had meanwhile. */
async function turnsDuring(call: () => Promise<unknown>, times: number): Promise<number> {
  let turns = 0;
  let open = true;
  const count = (): void => {
    turns++;
    if (open) setImmediate(count);
  };
  setImmediate(count);
  for (let time = 0; time < times; time++) await call().catch(() => undefined);
  open = false;
  return turns;
}

const calls: Readonly<Record<string, (host: Host, server: string) => Promise<unknown>>> = {
  callTool: (host, server) => host.callTool({ server, tool: 'add' }),
  getPrompt: (host, server) => host.getPrompt({ server, prompt: 'p' }),
  readResource: (host, server) => host.readResource({ server, uri: 'x://y' }),
  request: (host, server) => host.request({ server, method: 'x/y' }),
  notify: (host, server) => host.notify(server, 'notifications/x'),
  subscribe: (host, server) => host.subscribe({ server, uri: 'x://y' }),
  setLogLevel: (host, server) => host.setLogLevel(server, 'info'),
  start: (host, server) => host.start(server),
};

const states: Readonly<Record<string, (host: Host) => Promise<unknown> | void>> = {
  'that requires a sign-in': () => undefined,
  'that has failed': () => undefined,
  'that is disabled': () => undefined,
  'that is unknown': () => undefined,
  'of a host that is closed': (host) => host.close(),
};

it.each(Object.keys(states).flatMap((state) => Object.keys(calls).map((call) => [call, state] as const)))(
  'a loop of %s on a server %s leaves turns to timers and sockets',
  async (method, state) => {
    const servers = testServers(() => {
      if (state === 'that requires a sign-in') throw new AuthRequiredError('Sign in.');
      if (state === 'that has failed') throw new FittingsError('CONFIG_INVALID', 'broken');
      return calculator();
    });
    await using host = testHost([servers.plugin]);
    await host.connect({ calc: { type: 'test', disabled: state === 'that is disabled' } });
    await states[state]?.(host);
    const server = state === 'that is unknown' ? 'absent' : 'calc';
    expect(
      await turnsDuring(() => calls[method]?.(host, server) ?? expect.unreachable(), 50),
    ).toBeGreaterThan(20);
  },
);

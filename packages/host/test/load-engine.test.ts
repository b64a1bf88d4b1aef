import type { Transport } from '@mcp-fittings/client-core/transport';
import { expect, it } from 'vitest';
import type { Engine, EngineConnectOptions } from '../src/contracts/engine.js';
import { loadLater } from '../src/engines/shared/load-engine.js';

/** Notes what happens to a transport, in order. */
function watched(more: object = {}): { readonly transport: Transport; readonly events: string[] } {
  const events: string[] = [];
  const transport: Transport = {
    start: async () => void events.push('start'),
    send: async () => undefined,
    close: async () => void events.push('close'),
    [Symbol.asyncDispose]: async () => undefined,
    ...more,
  };
  return { transport, events };
}

const LOCAL = { pid: 1, stderr: null };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine of these tests reads no other member
const options = { server: 'files' } as EngineConnectOptions;

/** An engine that is loaded when the test says so. It starts the transport as the engines of the SDKs do. */
function gated(events: string[]) {
  const gate: { open: () => void } = { open: () => undefined };
  const opened = new Promise<void>((resolve) => (gate.open = resolve));
  const engine: Engine = {
    specVersion: 1,
    name: 'test',
    async connect(transport) {
      events.push('connect');
      await transport.start();
      throw new Error('enough');
    },
  };
  const later = loadLater('test', 'a-package', async () => {
    events.push('load');
    await opened;
    return engine;
  });
  return { later, open: gate.open };
}

it('a local server starts once, while the engine is loaded', async () => {
  const { transport, events } = watched(LOCAL);
  const { later, open } = gated(events);
  const connected = later.connect(transport, options);
  expect(events).toEqual(['start', 'load']);
  open();
  await expect(connected).rejects.toThrow('enough');
  expect(events).toEqual(['start', 'load', 'connect']);
});

it('a remote transport, and every transport of a loaded engine, is started by the engine', async () => {
  const remote = watched();
  const { later, open } = gated(remote.events);
  const connected = later.connect(remote.transport, options);
  open();
  await expect(connected).rejects.toThrow('enough');
  expect(remote.events).toEqual(['load', 'connect', 'start']);
  const local = watched(LOCAL);
  await expect(later.connect(local.transport, options)).rejects.toThrow('enough');
  expect(local.events).toEqual(['start']);
});

it('a server that cannot be started fails with its own error, and is closed if the engine is missing', async () => {
  const failing = watched({ ...LOCAL, start: () => Promise.reject(new Error('no such program')) });
  const { later, open } = gated(failing.events);
  const connected = later.connect(failing.transport, options);
  open();
  await expect(connected).rejects.toThrow('no such program');
  const missing = watched(LOCAL);
  const without = loadLater('test', 'a-package', () =>
    Promise.reject(
      Object.assign(new Error("Cannot find package 'a-package'"), { code: 'ERR_MODULE_NOT_FOUND' }),
    ),
  );
  await expect(without.connect(missing.transport, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(missing.events).toEqual(['start', 'close']);
});

import * as undici from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { loadUndici, loadUndiciAgents } from '../src/http/load-undici.js';

const MOVED = ['undici/lib/dispatcher/client.js', 'undici/lib/dispatcher/pool.js'];

afterEach(() => {
  for (const file of MOVED) vi.doUnmock(file);
  vi.resetModules();
});

const { Agent, buildConnector, Client, Pool, ProxyAgent } = undici;
// oxlint-disable-next-line typescript/unbound-method -- compared only
const { connect } = undici.Dispatcher.prototype;

it.each([
  ['what every request needs', loadUndici, { buildConnector, Client }],
  ['the agents', loadUndiciAgents, { Agent, connect, Pool, ProxyAgent }],
])('loads %s from the files of undici as from its main module', async (_what, load, used) => {
  const loaded = await load();
  expect(loaded).toEqual(used);
  for (const [name, member] of Object.entries(used)) expect(loaded).toHaveProperty(name, member);
});

it('loads the main module if a version of undici has other files', async () => {
  for (const file of MOVED) {
    vi.doMock(file, () => {
      throw new Error('ERR_MODULE_NOT_FOUND');
    });
  }
  const again = await import('../src/http/load-undici.js');
  expect(await again.loadUndici()).toMatchObject({ buildConnector, Client, fetch: undici.fetch });
  expect(await again.loadUndiciAgents()).toMatchObject({ Agent, connect, ProxyAgent, fetch: undici.fetch });
});

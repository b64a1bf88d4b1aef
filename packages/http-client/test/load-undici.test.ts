import * as undici from 'undici';
import { afterEach, expect, it, vi } from 'vitest';
import { loadUndici } from '../src/http/load-undici.js';

afterEach(() => {
  vi.doUnmock('undici/lib/dispatcher/pool.js');
  vi.resetModules();
});

const { Agent, buildConnector, Client, errors, Pool, ProxyAgent } = undici;
// oxlint-disable-next-line typescript/unbound-method -- compared only
const { connect } = undici.Dispatcher.prototype;
const USED = { Agent, buildConnector, Client, errors, Pool, ProxyAgent, connect };

it('loads the same classes from the files of undici as from its main module', async () => {
  const loaded = await loadUndici();
  expect(loaded).toEqual(USED);
  for (const [name, member] of Object.entries(USED)) expect(loaded).toHaveProperty(name, member);
});

it('loads the main module if a version of undici has other files', async () => {
  vi.doMock('undici/lib/dispatcher/pool.js', () => {
    throw new Error('ERR_MODULE_NOT_FOUND');
  });
  const again = await import('../src/http/load-undici.js');
  expect(await again.loadUndici()).toMatchObject({ Client, ProxyAgent, connect, fetch: undici.fetch });
});

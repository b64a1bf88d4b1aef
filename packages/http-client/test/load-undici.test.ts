import * as undici from 'undici';
import { expect, it } from 'vitest';
import { loadUndici, loadUndiciAgents } from '../src/http/load-undici.js';

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

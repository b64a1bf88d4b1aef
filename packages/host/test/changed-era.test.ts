import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { HostCache } from '@mcp-fittings/client-core';
import { createHost, type Host } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { identity, testHost } from './support/calculator.js';
import { memoryCache } from './support/caches.js';
import { testServers } from './support/in-process.js';
import { jsonRpcServer, type Answer, type JsonRpcRequest } from './support/json-rpc-server.js';
import { modern, RpcFailure, scripted } from './support/scripted.js';

const EACH = ['tools/list', 'tools/call', 'server/discover', 'prompts/list', 'resources/list', 'ping'];
const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const DONE = { resultType: 'complete', content: [{ type: 'text', text: 'done' }] };

const refusal =
  (status: number, text: string | ((id: unknown) => object)) =>
  ({ id }: JsonRpcRequest, response: ServerResponse): undefined => {
    const type = typeof text === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type });
    response.end(typeof text === 'string' ? text : JSON.stringify(text(id)));
  };
const rpc = (code: number, message: string, id?: null) => (given: unknown) => ({
  jsonrpc: '2.0',
  id: id === undefined ? given : id,
  error: { code, message },
});

/** Ways in which a server refuses a request of the other era. */
const WAYS: Readonly<Record<string, (request: JsonRpcRequest, response: ServerResponse) => undefined>> = {
  '400 and an error': refusal(400, rpc(-32_000, 'Bad Request: Unsupported protocol version', null)),
  '400 and a text': refusal(400, 'unsupported MCP-Protocol-Version'),
  '404': refusal(404, rpc(-32_001, 'Session not found', null)),
  '200 and "invalid params"': refusal(200, rpc(-32_602, 'Invalid request parameters')),
  '200 and "not initialized"': refusal(200, rpc(-32_002, 'Server not initialized')),
};

/** A server that speaks one era, and after `change()` the other one. */
async function changingServer(first: '2025' | '2026', refuse: (typeof WAYS)[string]) {
  let era = first;
  const sessions = new Set<unknown>();
  const answer: Answer = ({ id, method, params }, response, { headers }) => {
    const sent = { id: id ?? 0, method, params };
    if (era === '2025' ? !sessions.has(headers['mcp-session-id']) : params['_meta'] === undefined)
      return refuse(sent, response);
    if (method === (era === '2025' ? 'server/discover' : 'ping'))
      return refusal(200, rpc(-32_601, 'Method not found'))(sent, response);
    if (method === 'server/discover')
      return { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    return method === 'tools/call' ? DONE : { resultType: 'complete', ...TOOLS };
  };
  const server = await jsonRpcServer({
    ...Object.fromEntries(EACH.map((method) => [method, answer])),
    initialize: (request, response) => {
      const { protocolVersion } = request.params;
      if (era === '2026')
        return refusal(400, rpc(-32_022, 'Unsupported protocol version'))(request, response);
      const session = `s${sessions.size}`;
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'old', version: '1' } };
    },
  });
  return Object.assign(server, {
    change() {
      era = era === '2026' ? '2025' : '2026';
      sessions.clear();
    },
  });
}

const versionOf = (host: Host): unknown => {
  const { state } = host.server('a');
  return state.status === 'connected' ? state.connection.protocolVersion : state.status;
};
const connectedAgain = (host: Host): Promise<void> =>
  new Promise((resolve) => {
    const subscription = host.on('state', ({ state }) => {
      if (state.status !== 'connected') return;
      subscription[Symbol.dispose]();
      resolve();
    });
  });
const call = (host: Host) => host.callTool({ server: 'a', tool: 'echo' });
const QUICK = { reconnect: { delayMs: 1 } };
const ONCE = { reconnect: { maxAttempts: 0 } };
const VERSIONS = { '2025': '2025-11-25', '2026': '2026-07-28' };

describe.each([
  ...Object.entries(WAYS).map(([way, refuse]) => ['2026', '2025', way, refuse] as const),
  ...Object.entries(WAYS).map(([way, refuse]) => ['2025', '2026', way, refuse] as const),
])('a server that changes from %s to %s, and refuses with %s', (before, after, _, refuse) => {
  it('is reached by restart()', async () => {
    await using server = await changingServer(before, refuse);
    await using host = testHost([http()]);
    await host.connect({ a: { url: server.url, ...ONCE } });
    expect(versionOf(host)).toBe(VERSIONS[before]);
    server.change();
    await host.restart('a');
    expect(versionOf(host)).toBe(VERSIONS[after]);
    expect(await call(host)).toMatchObject({ content: DONE.content });
  });

  it('is reached after a call that it refused', async () => {
    await using server = await changingServer(before, refuse);
    await using host = testHost([http()]);
    await host.connect({ a: { url: server.url, ...QUICK } });
    server.change();
    const again = connectedAgain(host);
    await expect(call(host)).rejects.toMatchObject({ server: 'a' });
    await again;
    expect(versionOf(host)).toBe(VERSIONS[after]);
    expect(await call(host)).toMatchObject({ content: DONE.content });
  });

  it('is reached by a program that has the era from an earlier run, in its only attempt', async () => {
    const memory = memoryCache();
    let deletions = 0;
    const cache: HostCache = {
      ...memory,
      async delete(key) {
        deletions++;
        await new Promise((resolve) => setImmediate(resolve));
        await memory.delete(key);
        deletions--;
      },
    };
    await using server = await changingServer(before, refuse);
    const entry = { a: { url: server.url, ...ONCE } };
    const options = { ...identity, transports: [http()], cache, principal: 'ann' };
    const first = createHost(options);
    await first.connect(entry);
    await first.close();
    server.change();
    await using second = createHost(options);
    const during: number[] = [];
    second.on('state', ({ state }) => {
      if (state.status === 'connecting' && state.phase === 'starting') during.push(deletions);
    });
    await second.connect(entry);
    // What it had is forgotten before it connects again: a deletion that ends later could be of what it finds then.
    expect(during).toEqual([0, 0]);
    expect(versionOf(second)).toBe(VERSIONS[after]);
    expect(await call(second)).toMatchObject({ content: DONE.content });
    expect([...memory.kept].filter(([key]) => key.startsWith('era:'))).toHaveLength(1);
  });
});

describe('a server whose connection ends when it changes', () => {
  it.each([
    ['2026', '2025'],
    ['2025', '2026'],
  ] as const)('is reached in its first attempt when it changes from %s to %s', async (before, after) => {
    const servers = {
      '2025': () => {
        let initialized = false;
        return scripted({
          initialize: ({ protocolVersion }) => {
            initialized = true;
            return {
              protocolVersion,
              capabilities: { tools: {} },
              serverInfo: { name: 'old', version: '1' },
            };
          },
          'tools/list': () => {
            if (!initialized) throw new RpcFailure(-32_602, 'Invalid request parameters');
            return TOOLS;
          },
        });
      },
      '2026': () => modern({ 'tools/list': () => TOOLS }),
    };
    let make = servers[before];
    const test = testServers(() => make());
    await using host = testHost([test.plugin]);
    await host.connect({ a: { type: 'test', reconnect: { maxAttempts: 1, delayMs: 1 } } });
    expect(versionOf(host)).toBe(VERSIONS[before]);
    make = servers[after];
    const again = connectedAgain(host);
    await test.drop();
    await again;
    expect(versionOf(host)).toBe(VERSIONS[after]);
    expect(test.open).toBe(1);
  });
});

describe('a server that did not change', () => {
  it.each(['2025', '2026'] as const)('stays connected when it of %s refuses calls', async (era) => {
    await using server = await changingServer(era, WAYS['404'] ?? refusal(404, ''));
    const states: string[] = [];
    await using host = testHost([http()]);
    await host.connect({ a: { url: server.url, ...ONCE } });
    host.on('state', ({ state }) => states.push(state.status));
    for (let turn = 0; turn < 3; turn++)
      await expect(host.request({ server: 'a', method: 'unknown/method' })).rejects.toMatchObject({
        code: 'RPC_ERROR',
      });
    expect(await call(host)).toMatchObject({ content: DONE.content });
    expect(states).toEqual([]);
  });

  it('is not connected twice in one attempt when it cannot be reached', async () => {
    const server = await changingServer('2026', WAYS['404'] ?? refusal(404, ''));
    await using host = testHost([http()]);
    const errors: unknown[] = [];
    await host.connect({ a: { url: server.url, ...ONCE } });
    host.on('state', ({ state }) => {
      if (state.status === 'connecting' && state.phase === 'starting') errors.push(state.attempt);
    });
    await server[Symbol.asyncDispose]();
    await expect(host.restart('a')).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' });
    expect(errors).toEqual([1]);
  });
});

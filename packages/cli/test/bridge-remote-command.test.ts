import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { everythingServer } from '../../../scripts/everything-server.js';
import { startBridge, temporaryHome } from './support/bridge-process.js';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
};

/** Answers `initialize`, and keeps the headers of every request. */
async function headerKeeper(): Promise<{ url: string; seen: IncomingHttpHeaders[]; server: Server }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'keeper', version: '1' },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`, seen, server };
}

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

describe('M10: one line in the place of mcp-remote', () => {
  it('sends headers, with variables of the environment, and prints no secret', async () => {
    await using home = await temporaryHome();
    const { url, seen, server } = await headerKeeper();
    open.push(server);
    const args = ['--verbose', 'bridge', url, '3334', '--header', 'X-Key: ${API_KEY}', '-H', 'X-Two:b'];
    const bridge = startBridge([...args, '--no-sign-in'], home.path, { API_KEY: 'a-very-secret-key' });
    bridge.send(initialize);
    expect(await bridge.next(({ id }) => id === 1)).toMatchObject({
      result: { serverInfo: { name: 'keeper' } },
    });
    expect(seen[0]).toMatchObject({ 'x-key': 'a-very-secret-key', 'x-two': 'b' });
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
    expect(bridge.stderr).not.toContain('a-very-secret-key');
  });

  it('--type sse goes to a server of 2024', async () => {
    await using home = await temporaryHome();
    await using server = await everythingServer('sse');
    const bridge = startBridge(['bridge', server.url, '--type', 'sse', '--store', 'memory'], home.path);
    bridge.send(initialize);
    expect(await bridge.next(({ id }) => id === 1)).toMatchObject({
      result: { serverInfo: { name: expect.stringContaining('everything') } },
    });
    bridge.child.stdin.end();
    await bridge.exited;
  });

  it.each([
    ['a variable that is not set', ['https://x.example/mcp', '-H', 'X-Key: ${NOT_SET}'], 3, 'NOT_SET'],
    ['a header without a colon', ['https://x.example/mcp', '-H', 'secret-value'], 2, '"Name: value"'],
    ['a port that is not one', ['https://x.example/mcp', 'later'], 2, 'not a port'],
    ['options of a URL for a configured server', ['files', '--type', 'sse'], 2, 'not a URL'],
  ])('refuses %s', async (_what, args, code, words) => {
    await using home = await temporaryHome();
    const bridge = startBridge(['--store', 'memory', 'bridge', ...args], home.path);
    expect(await bridge.exited).toBe(code);
    expect(bridge.stderr).toContain(words);
    expect(bridge.stderr).not.toContain('secret-value');
    expect(bridge.lines).toEqual([]);
  });
});

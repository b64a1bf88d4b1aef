import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { everythingServer } from '../../../scripts/everything-server.js';
import { temporaryDirectory } from '../../toolbox/test/support/temp-directory.js';
import { startBridge } from './support/bridge-process.js';

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

describe('one line in the place of mcp-remote', () => {
  it('sends headers, with variables of the environment, and prints no secret', async () => {
    await using home = await temporaryDirectory();
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

  it.each([
    ['in the URL and with a default', '${ADDRESS}/mcp', 'X-Key: ${KEY:-fallback}', 'fallback'],
    ['in a part of the URL', 'http://127.0.0.1:${PORT}/mcp', 'X-Key: ${KEY}', 'set'],
    [
      'with a default that is not needed',
      '${ADDRESS:-http://unused.example}/mcp',
      'X-Key: ${KEY:-no}',
      'set',
    ],
  ])('takes variables %s, as export writes them', async (_what, address, header, value) => {
    await using home = await temporaryDirectory();
    const { url, seen, server } = await headerKeeper();
    open.push(server);
    const { origin, port } = new URL(url);
    const env = { ADDRESS: origin, PORT: port, ...(value === 'set' && { KEY: 'set' }) };
    const bridge = startBridge(['bridge', address, '--header', header, '--no-sign-in'], home.path, env);
    bridge.send(initialize);
    await bridge.next(({ id }) => id === 1);
    expect(seen[0]).toMatchObject({ 'x-key': value });
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
  });

  it('a client hears what it may have missed when the event stream is back', async () => {
    await using home = await temporaryDirectory();
    const streams: ServerResponse[] = [];
    const asked: string[] = [];
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('retry: 10\n\n');
        streams.push(response);
        return;
      }
      if (request.method !== 'POST') return void response.writeHead(200).end();
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = JSON.parse(body) as { id?: unknown; method: string };
        asked.push(method);
        if (id === undefined) return void response.writeHead(202).end();
        const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
        const about = {
          protocolVersion: '2025-11-25',
          capabilities,
          serverInfo: { name: 's', version: '1' },
        };
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? about : {} }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(server, { close: () => server.closeAllConnections() });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
    const bridge = startBridge(['bridge', url, '--no-sign-in'], home.path);
    bridge.send(initialize);
    await bridge.next(({ id }) => id === 1);
    bridge.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    bridge.send({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'memo:///a' } });
    await bridge.next(({ id }) => id === 2);
    await expect.poll(() => streams.length).toBe(1);
    streams[0]?.destroy();
    expect(await bridge.next(({ method }) => method === 'notifications/tools/list_changed')).toBeDefined();
    const updated = await bridge.next(({ method }) => method === 'notifications/resources/updated');
    expect(updated).toMatchObject({ params: { uri: 'memo:///a' } });
    expect(asked.filter((method) => method === 'resources/subscribe')).toHaveLength(2);
    bridge.child.stdin.end();
    expect(await bridge.exited).toBe(0);
  });

  it('--type sse goes to a server of 2024', async () => {
    await using home = await temporaryDirectory();
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
    ['a port that is not one', ['https://x.example/mcp', 'later'], 2, 'not a valid port'],
    ['options of a URL for a configured server', ['files', '--type', 'sse'], 2, 'apply only to a URL'],
  ])('refuses %s', async (_what, args, code, words) => {
    await using home = await temporaryDirectory();
    const bridge = startBridge(['--store', 'memory', 'bridge', ...args], home.path);
    expect(await bridge.exited).toBe(code);
    expect(bridge.stderr).toContain(words);
    expect(bridge.stderr).not.toContain('secret-value');
    expect(bridge.lines).toEqual([]);
  });
});

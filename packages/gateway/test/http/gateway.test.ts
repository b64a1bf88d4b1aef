import { createServer } from 'node:http';
import { once } from 'node:events';
import { createHost, type Host } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { stdio } from '@mcp-fittings/transport-stdio';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { officialServer } from '../../../../scripts/bundled.mjs';
import { createGateway, type Gateway } from '../../src/index.js';
import { text, toyServer } from '../core/support.js';
import { requestOf } from '../support/task-replica.js';
import { byName, textOf } from '../support/test-gateway.js';

const EVERYTHING = await officialServer('everything');
let host: Host;
let gateway: Gateway;
let url: string;

function createNotes(): McpServer {
  const notes = new McpServer({ name: 'notes', version: '1' });
  notes.registerTool('today', {}, async () => ({ content: [{ type: 'text', text: 'Water the plants.' }] }));
  return notes;
}

beforeAll(async () => {
  host = createHost({
    name: 'gateway',
    version: '1',
    transports: [stdio(), inprocess({ servers: { notes: createNotes } })],
  });
  await host.connect({
    everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
    notes: { type: 'sdk' },
  });
  gateway = createGateway(host, { access: byName });
  ({ url } = await gateway.listen({ port: 0 }));
});
afterAll(async () => {
  await gateway.close();
  await host.close();
});

async function connect(mode: 'legacy' | 'auto', path = ''): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: 'Bearer ann' } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }));
  return client;
}

describe('a gateway in front of a host', () => {
  it('keeps an idle connection for longer than load balancers do', async () => {
    const { headers, body } = await request(url);
    await body.dump();
    expect(headers['keep-alive']).toBe('timeout=75');
  });

  it.each(['legacy', 'auto'] as const)('serves all servers, and each alone, %s', async (mode) => {
    const all = await connect(mode);
    const names = (await all.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['notes__today', 'everything__echo']));
    const sum = await all.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } });
    expect(textOf(sum)).toContain('5');
    await all.close();
    const one = await connect(mode, '/notes');
    expect((await one.listTools()).tools.map(({ name }) => name)).toEqual(['today']);
    expect(textOf(await one.callTool({ name: 'today' }))).toBe('Water the plants.');
    await one.close();
    await expect(connect(mode, '/other')).rejects.toThrow('Nothing is served at this path.');
  });

  it('is a server of another host, over HTTP and through a server of node:http', async () => {
    const server = createServer(gateway.listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await using client = createHost({ name: 'client', version: '1', transports: [http()] });
    const headers = { authorization: 'Bearer ann' };
    await client.connect({
      all: { type: 'http', url, headers },
      notes: { type: 'http', url: `http://127.0.0.1:${port}/mcp/notes`, headers },
    });
    expect(textOf(await client.callTool({ server: 'all', tool: 'notes__today' }))).toBe('Water the plants.');
    expect(textOf(await client.callTool({ server: 'notes', tool: 'today' }))).toBe('Water the plants.');
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  it('lets a page read the body of a request', async () => {
    await using own = createGateway(host, { access: byName, status: true });
    const form = { method: 'POST', body: new URLSearchParams({ token: 'ann' }) };
    const answer = await own.fetch(new Request('http://localhost/status/sign-in', form));
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([303, expect.any(String)]);
  });

  it('counts a request whose body arrives, and refuses it once it is closed', async () => {
    let calls = 0;
    const toy = () => toyServer({ tools: [{ name: 'pay' }], call: () => (calls++, text('paid')) });
    await using own = createHost({
      name: 'own',
      version: '1',
      transports: [inprocess({ servers: { toy } })],
    });
    await own.connect({ toy: { type: 'sdk' } });
    await using closing = createGateway(own, { access: byName });
    const given = requestOf('tools/call', { name: 'toy__pay' });
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const body = new TextEncoder().encode(String(given.body));
    const writer = writable.getWriter();
    const answered = closing.fetch(
      new Request('http://localhost/mcp', { ...given, body: readable, duplex: 'half' }),
    );
    await writer.write(body.subarray(0, 50));
    expect(closing.load().requestsInFlight).toBe(1);
    await closing.close();
    await writer.write(body.subarray(50));
    await writer.close();
    expect([(await answered).status, calls]).toEqual([503, 0]);
  });
});

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { describe, expect, it, vi } from 'vitest';

const KINDS = ['http', 'sse', 'ws', 'stdio'] as const;

interface Waiting extends AsyncDisposable {
  readonly entry: Readonly<Record<string, unknown>>;
  /** The server has the call, which it does not answer. */
  hasCall(): boolean;
}

/** Answers everything but a call. Also the program of the server over stdio, so it uses nothing from outside. */
function answerTo({ id, method }: { readonly id?: unknown; readonly method?: string }): object | undefined {
  if (id === undefined || method === 'tools/call') return undefined;
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'waiting', version: '1' },
    },
    'tools/list': { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] },
    ping: {},
  };
  const result = results[method ?? ''];
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
    : { jsonrpc: '2.0', id, result };
}

async function startProgram(): Promise<Waiting> {
  const folder = await mkdtemp(join(tmpdir(), 'close-with-a-call-'));
  const mark = join(folder, 'called');
  const code = `${answerTo.toString()}
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'tools/call') require('node:fs').writeFileSync(process.argv[1], '');
      const answer = answerTo(message);
      if (answer) console.log(JSON.stringify(answer));
    });`;
  return {
    entry: { type: 'stdio', command: process.execPath, args: ['-e', code, mark] },
    hasCall: () => existsSync(mark),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function startListening(kind: 'http' | 'sse' | 'ws'): Promise<Waiting> {
  let called = false;
  let events: ServerResponse | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'GET' && kind === 'sse') {
        events = response;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.write('event: endpoint\ndata: /mcp\n\n');
      }
      if (request.method !== 'POST') return response.writeHead(405).end();
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const message = JSON.parse(body);
      if (message.method === 'tools/call') called = true;
      const answer = answerTo(message);
      if (kind === 'sse') {
        response.writeHead(202).end();
        if (answer !== undefined) events?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
        return undefined;
      }
      if (message.method === 'tools/call') return undefined;
      if (answer === undefined) return response.writeHead(202).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    })();
  });
  const sockets =
    kind === 'ws'
      ? createWebSocketServer({
          server,
          path: '/mcp',
          authenticate: async () => true,
          async onConnection(transport) {
            transport.onmessage = (message) => {
              if ('method' in message && message.method === 'tools/call') called = true;
              const answer = answerTo(message);
              if (answer !== undefined) void transport.send(answer as never);
            };
            await transport.start();
          },
        })
      : undefined;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    entry: { type: kind, url: `${kind === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port}/mcp` },
    hasCall: () => called,
    async [Symbol.asyncDispose]() {
      await sockets?.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

describe('host.close() with a call under way', () => {
  it.each(KINDS)('is CONNECTION_LOST and unknown over %s', async (kind) => {
    await using server = kind === 'stdio' ? await startProgram() : await startListening(kind);
    const host = createHost({
      name: 'tests',
      version: '1',
      transports: [http(), sse(), ws(), stdio()],
    });
    const [connected] = await host.connect({ waiting: server.entry });
    expect(connected?.state.status).toBe('connected');
    const call = host.callTool({ server: 'waiting', tool: 'wait' }).catch((error: unknown) => error);
    await vi.waitUntil(() => server.hasCall(), { timeout: 20_000, interval: 10 });
    await host.close();
    expect(await call).toMatchObject({ code: 'CONNECTION_LOST', delivery: 'unknown', server: 'waiting' });
    await expect(host.callTool({ server: 'waiting', tool: 'wait' })).rejects.toMatchObject({
      code: 'TRANSPORT_CLOSED',
      delivery: 'not-sent',
    });
  });
});

import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { Client } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sdkV1Server } from '../../transport-http/test/support/real-servers.js';
import type { WebSocketBridge } from '../src/bridge/serve-websocket.js';
import { plant } from './support/planted-server.js';
import { bridge, textOf, TOKEN, upstreamTo } from './support/upstreams.js';

function bridgeTo(config: { type: string; url: string; apiKey?: string }): Promise<WebSocketBridge> {
  return bridge({ open: upstreamTo({ server: 'remote', config }) });
}

describe('a remote server over another wire', () => {
  it('outlives a restart of the server that forgets its sessions', async () => {
    await using server = await sdkV1Server();
    const bridge = await bridgeTo({ type: 'http', url: server.url });
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(createWebSocketTransport({ url: bridge.url, apiKey: TOKEN }));
    const add = async (a: number): Promise<string> =>
      textOf(await client.callTool({ name: 'add', arguments: { a, b: 1 } }));
    expect(await add(1)).toBe('2');
    await server.restart();
    expect(await add(2)).toBe('3');
    expect(server.added).toEqual([1, 2]);
    await client.close();
    await bridge.close();
  });

  it('a call whose connection drops is answered at once, and said to be in doubt', async () => {
    await using server = await sdkV1Server();
    const bridge = await bridgeTo({ type: 'http', url: server.url });
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(createWebSocketTransport({ url: bridge.url, apiKey: TOKEN }));
    const call = client.callTool({ name: 'slow', arguments: { ms: 3_000 } }, undefined, {
      onprogress: () => server.dropCalls?.(),
    });
    const failure = await call.catch((error: unknown) => error);
    expect(failure).toMatchObject({ data: { delivery: 'unknown' } });
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }))).toBe('2');
    await client.close();
    await bridge.close();
  });

  it('gives HTTP the headers that a client on another wire knows nothing of', async () => {
    const handler = createMcpHandler(() => {
      const mcp = new McpServer({ name: 'regions', version: '1' });
      const where = z.object({
        region: z.string().meta({ 'x-mcp-header': 'Region' }),
        level: z.number().optional(),
      });
      mcp.registerTool(
        'tell',
        { inputSchema: z.object({ where, of: z.string() }) },
        ({ where: { region } }) => ({
          content: [{ type: 'text', text: region }],
        }),
      );
      return mcp;
    });
    const seen: (string | undefined)[] = [];
    const serve = toNodeHandler(handler);
    await using server = await plant((request, response) => {
      if (request.headers['mcp-method'] === 'tools/call')
        seen.push(request.headersDistinct['mcp-param-region']?.[0]);
      void serve(request as Parameters<typeof serve>[0], response);
    });
    const bridge = await bridgeTo({ type: 'http', url: server.url });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(createWebSocketTransport({ url: bridge.url, apiKey: TOKEN }));
    await client.listTools();
    const tell = async (region: string): Promise<string> =>
      textOf(await client.callTool({ name: 'tell', arguments: { where: { region }, of: 'x' } }));
    expect(await tell('eu-west')).toBe('eu-west');
    expect(await tell('größe')).toBe('größe');
    expect(seen).toEqual(['eu-west', '=?base64?Z3LDtsOfZQ==?=']);
    await client.close();
    await bridge.close();
    await handler.close();
  });

  it('reaches a WebSocket server, also when that was away for a while', async () => {
    const inner = await bridge();
    const port = Number(new URL(inner.url).port);
    const outer = await bridgeTo({ type: 'ws', url: inner.url, apiKey: TOKEN });
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(createWebSocketTransport({ url: outer.url, apiKey: TOKEN }));
    const add = async (): Promise<string> =>
      textOf(await client.callTool({ name: 'add', arguments: { a: 4, b: 5 } }));
    expect(await add()).toBe('9');
    await inner.close();
    await expect.poll(() => add().catch((error: unknown) => String(error))).toContain('Connection refused');
    const again = await bridge({ address: { host: '127.0.0.1', port } });
    expect(await add()).toBe('9');
    await client.close();
    await outer.close();
    await again.close();
  });
});

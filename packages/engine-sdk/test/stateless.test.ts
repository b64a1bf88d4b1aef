import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sdkV1 } from '@mcp-fittings/engine-sdk/v1';
import { sdkV2 } from '@mcp-fittings/engine-sdk/v2';
import { createHost, type Host, type HostCallbacks, type HostEvents } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';

const identity = { name: 'tests', version: '1.0.0' };
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'stateless', version: '1' },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  server.registerTool('greet', {}, ({ mcpReq }) => {
    const named = acceptedContent(mcpReq.inputResponses, 'who', z.object({ name: z.string() }));
    if (named !== undefined) return say(`hello ${named.name}`);
    const requestedSchema = z.object({ name: z.string() });
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema }) },
    });
  });
  server.registerResource('memo', 'memo://a', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'a memo' }],
  }));
  return server;
}

const next = <Name extends keyof HostEvents>(host: Host, name: Name): Promise<HostEvents[Name]> =>
  new Promise((resolve) => {
    const subscription = host.on(name, (event) => {
      subscription[Symbol.dispose]();
      resolve(event);
    });
  });

describe('a server of revision 2026-07-28', () => {
  const handler = createMcpHandler(makeServer, { legacy: 'reject' });
  const serve = toNodeHandler(handler);
  const received: IncomingHttpHeaders[] = [];
  let server: Server;
  let url: string;
  let host: Host;
  let asked = (): void => undefined;

  beforeAll(async () => {
    server = createServer((request, response) => {
      received.push(request.headers);
      void serve(request as never, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const callbacks: HostCallbacks = {
      async elicit(_request, { call }) {
        const name = call?.origin ?? 'Ann';
        if (name === 'unknown') throw new Error('boom');
        if (name !== 'silence') return { action: 'accept', content: { name } };
        asked();
        return new Promise(() => undefined);
      },
    };
    host = createHost({ ...identity, engine: sdkV2(), transports: [http()], callbacks });
    await host.connect({ modern: { url } });
  });
  afterAll(async () => {
    await host.close();
    await handler.close();
    server.closeAllConnections();
    server.close();
  });

  it('is detected by SDK v2, which answers its questions inside of results, with the headers of the call', async () => {
    expect(host.server('modern').state).toMatchObject({ connection: { protocolVersion: '2026-07-28' } });
    received.length = 0;
    const greet = { server: 'modern', tool: 'greet' };
    const { content } = await host.callTool(greet, {}, { headers: { 'X-Tenant': 'a' } });
    expect(content).toEqual([{ type: 'text', text: 'hello Ann' }]);
    expect(received.map((headers) => headers['x-tenant'])).toEqual(['a', 'a']);
  });

  it('tells a callback which of several calls requires its answer', async () => {
    const greeted = ['Bob', 'Eve'].map(async (origin) => {
      const { content } = await host.callTool({ server: 'modern', tool: 'greet' }, {}, { origin });
      return content;
    });
    expect(await Promise.all(greeted)).toEqual([
      [{ type: 'text', text: 'hello Bob' }],
      [{ type: 'text', text: 'hello Eve' }],
    ]);
  });

  it('a call whose question fails or is aborted has a delivery', async () => {
    const greet = (origin: string, signal?: AbortSignal) =>
      host.callTool({ server: 'modern', tool: 'greet' }, {}, { origin, signal });
    await expect(greet('unknown')).rejects.toMatchObject({ code: 'CALLBACK_FAILED', delivery: 'unknown' });
    const controller = new AbortController();
    asked = () => controller.abort();
    await expect(greet('silence', controller.signal)).rejects.toMatchObject({
      code: 'ABORTED',
      delivery: 'unknown',
      message: expect.stringContaining('The caller aborted'),
    });
  });

  it('reports changes to SDK v2 through a listen stream', async () => {
    const ref = { server: 'modern', uri: 'memo://a' };
    await host.subscribe(ref);
    const updated = next(host, 'resourceUpdated');
    handler.notify.resourceUpdated('memo://a');
    expect(await updated).toEqual(ref);
    await host.unsubscribe(ref);
    const read = next(host, 'catalog');
    handler.notify.toolsChanged();
    expect(await read).toEqual({ server: 'modern', kind: 'tools' });
  });

  it('is refused by SDK v1 with an error that says so', async () => {
    await using old = createHost({ ...identity, engine: sdkV1(), transports: [http()] });
    const [snapshot] = await old.connect({ modern: { url } });
    expect(snapshot?.state).toMatchObject({ status: 'failed', error: { retryable: false } });
    expect(snapshot?.lastError?.message).toMatch(/2026-07-28|version|revision/i);
  });
});

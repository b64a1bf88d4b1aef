import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer, acceptedContent } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ElicitationRequest, Host, HostEvents } from '@mcp-fittings/host';
import { http } from '@mcp-fittings/transport-http';
import { testHost } from './support/calculator.js';
import { memoryCache } from './support/caches.js';

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** A server of the revision 2026-07-28 on SDK v2. */
function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'stateless', version: '1' },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } } },
  );
  server.registerTool('greet', {}, ({ mcpReq }) => {
    const named = acceptedContent(mcpReq.inputResponses, 'who', z.object({ name: z.string() }));
    if (named !== undefined) return say(`hello ${named.name}`);
    return inputRequired({
      inputRequests: {
        who: inputRequired.elicit({
          message: 'Who?',
          requestedSchema: z.object({ name: z.string().default('Ann') }),
        }),
      },
    });
  });
  server.registerTool('think', {}, ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.['thought'];
    if (answer !== undefined) return say(JSON.stringify(answer));
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'think' } }];
    return inputRequired({
      inputRequests: { thought: inputRequired.createMessage({ messages, maxTokens: 5 }) },
    });
  });
  let rounds = 0;
  server.registerTool('never-satisfied', {}, () =>
    inputRequired({ inputRequests: { roots: inputRequired.listRoots() }, requestState: `round ${rounds++}` }),
  );
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

describe('the stateless era, 2026-07-28', () => {
  const handler = createMcpHandler(makeServer);
  const serve = toNodeHandler(handler);
  const methods: string[] = [];
  let server: Server;
  let url: string;
  let host: Host;
  const asked: ElicitationRequest[] = [];
  const errors: unknown[] = [];
  const cache = memoryCache();
  const callbacks = {
    elicit: async (request: ElicitationRequest) => {
      asked.push(request);
      return { action: 'accept' as const, content: {} };
    },
    sample: async () => ({ role: 'assistant', model: 'scripted', content: { type: 'text', text: 'deep' } }),
    roots: async () => [{ uri: 'file:///work' }],
  };
  const makeHost = () => testHost([http()], { callbacks, cache });

  beforeAll(async () => {
    server = createServer((request, response) => {
      methods.push(String(request.headers['mcp-method']));
      void serve(request as never, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    host = makeHost();
    host.on('error', ({ error }) => errors.push(error));
    await host.connect({ modern: { url, healthCheck: { enabled: true, intervalMs: 20 } } });
  });
  afterAll(async () => {
    await host.close();
    await handler.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(errors).toEqual([]);
  });

  it('is detected', () => {
    expect(host.server('modern').state).toMatchObject({
      status: 'connected',
      connection: { protocolVersion: '2026-07-28' },
    });
    expect(host.tools().map(({ name }) => name)).toContain('greet');
  });

  it('answers an elicitation inside a result, with the defaults of its schema', async () => {
    const result = await host.callTool({ server: 'modern', tool: 'greet' });
    expect(result.content).toEqual([{ type: 'text', text: 'hello Ann' }]);
    expect(asked).toMatchObject([{ mode: 'form', message: 'Who?' }]);
  });

  it('samples inside a result', async () => {
    const result = await host.callTool({ server: 'modern', tool: 'think' });
    expect(JSON.stringify(result.content)).toContain('deep');
  });

  it('ends a call that asks for input without end', async () => {
    await expect(host.callTool({ server: 'modern', tool: 'never-satisfied' })).rejects.toMatchObject({
      code: 'PROTOCOL_VIOLATION',
      delivery: 'unknown',
    });
  });

  it('subscribes through a listen stream, and reads', async () => {
    await host.subscribe({ server: 'modern', uri: 'memo://a' });
    const updated = next(host, 'resourceUpdated');
    handler.notify.resourceUpdated('memo://a');
    expect(await updated).toEqual({ server: 'modern', uri: 'memo://a' });
    const { contents } = await host.readResource({ server: 'modern', uri: 'memo://a' });
    expect(contents).toMatchObject([{ text: 'a memo' }]);
    await host.unsubscribe({ server: 'modern', uri: 'memo://a' });
  });

  it('notices changed tools', async () => {
    const read = next(host, 'catalog');
    handler.notify.toolsChanged();
    expect(await read).toEqual({ server: 'modern', kind: 'tools' });
  });

  it('checks the health with server/discover instead of ping', async () => {
    const before = methods.filter((method) => method === 'server/discover').length;
    await expect
      .poll(() => methods.filter((method) => method === 'server/discover').length)
      .toBeGreaterThan(before);
    expect(methods).not.toContain('ping');
    expect(host.server('modern').state.status).toBe('connected');
  });

  it('remembers the era of an entry, so that the next run needs no probe', async () => {
    await host.stop('modern');
    const entry = { again: { url } };
    const first = makeHost();
    await first.connect(entry);
    await first.close();
    methods.length = 0;
    const second = makeHost();
    await second.connect(entry);
    expect(second.server('again').state.status).toBe('connected');
    expect(methods).not.toContain('server/discover');
    await second.close();
    await host.start('modern');
  });
});

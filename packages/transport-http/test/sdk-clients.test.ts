import { Client as ClientV2, SdkHttpError } from '@modelcontextprotocol/client';
import { type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHttpTransport } from '../src/index.js';
import { ALL_CLIENTS, clientV2 } from './support/clients.js';
import { MODERN } from './support/modern.js';
import { scriptedServer, type Scripts } from './support/scripted-server.js';
import { sdkV2Server } from './support/real-servers.js';
import { when } from './support/turns.js';

afterEach(() => vi.restoreAllMocks());

/** A server of the revision 2026-07-28 that offers these tools. */
const modernScripts = (tools: readonly unknown[]): Scripts => ({
  'server/discover': (exchange) =>
    exchange.result({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: {} },
      serverInfo: { name: 'modern', version: '1' },
    }),
  'tools/list': (exchange) =>
    exchange.result({ resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' }),
  'tools/call': (exchange) => exchange.result({ resultType: 'complete', content: [] }),
});

describe('C.3 sign-in while an SDK connects', () => {
  it.each(ALL_CLIENTS)('$name passes on the AuthRequiredError of the provider unchanged', async (kind) => {
    await using server = await scriptedServer({
      on: {
        initialize: (exchange) => exchange.plain(401),
        'server/discover': (exchange) => exchange.plain(401),
      },
    });
    const needed = new AuthRequiredError('sign in first');
    const auth: AuthProvider = {
      headers: () => Promise.resolve({}),
      onChallenge: () => Promise.reject(needed),
    };
    await expect(kind.connect(createHttpTransport({ url: server.url, auth }))).rejects.toBe(needed);
    expect(server.of('initialize').length + server.of('server/discover').length).toBe(1);
  });
});

describe('C.3 refusals while SDK v2 negotiates', () => {
  it.each([
    [403, 'CLIENT_HTTP_FORBIDDEN'],
    [500, 'ERA_NEGOTIATION_FAILED'],
    [429, 'ERA_NEGOTIATION_FAILED'],
  ])('a %i never silently leads to the older era', async (status, code) => {
    await using server = await scriptedServer({
      on: { 'server/discover': (exchange) => exchange.plain(status, 'no') },
    });
    const transport = createHttpTransport({ url: server.url, retryLater: { maxAttempts: 0 } });
    await expect(clientV2('auto').connect(transport)).rejects.toMatchObject({ code });
    expect(server.of('initialize')).toHaveLength(0);
  });

  it('its users read the status where they are used to', async () => {
    await using server = await scriptedServer({
      on: { 'tools/call': (exchange) => exchange.plain(418, 'teapot') },
    });
    const client = new ClientV2({ name: 'x', version: '1' });
    await client.connect(createHttpTransport({ url: server.url }));
    const error: unknown = await client.callTool({ name: 'brew' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SdkHttpError);
    expect(error).toMatchObject({ status: 418, statusText: "I'm a Teapot", data: { text: 'teapot' } });
    await client.close();
  });
});

describe('x-mcp-header', () => {
  const tool = (name: string, properties: Record<string, unknown>) => ({
    name,
    inputSchema: { type: 'object', properties },
  });
  const invalid = {
    empty: tool('empty', { a: { type: 'string', 'x-mcp-header': '' } }),
    space: tool('space', { a: { type: 'string', 'x-mcp-header': 'two words' } }),
    lineBreak: tool('lineBreak', { a: { type: 'string', 'x-mcp-header': 'A\r\nB' } }),
    twice: tool('twice', {
      a: { type: 'string', 'x-mcp-header': 'Region' },
      b: { type: 'string', 'x-mcp-header': 'REGION' },
    }),
    number: tool('number', { a: { type: 'number', 'x-mcp-header': 'N' } }),
    items: tool('items', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'I' } } }),
  };
  const valid = tool('valid', {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
  });

  it('excludes a tool with an unusable annotation, with a warning, and sends those of the others', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    await using server = await scriptedServer({ on: modernScripts([...Object.values(invalid), valid]) });
    await using client = await clientV2('auto').connect(createHttpTransport({ url: server.url }));
    expect(client.era).toBe('modern');
    expect(await client.tools()).toEqual(['valid']);
    const warned = warn.mock.calls.map((call) => call.join(' ')).join('\n');
    for (const name of Object.keys(invalid)) expect(warned).toContain(name);
    await client.call('valid', { region: 'Zürich', count: 7 });
    const { headers } = server.of('tools/call')[0]!;
    expect(headers['mcp-param-region']).toBe('=?base64?WsO8cmljaA==?=');
    expect(headers).toMatchObject({
      'mcp-param-count': '7',
      'mcp-name': 'valid',
      'mcp-method': 'tools/call',
    });
  });

  it('an answer -32020 reaches the engine, which refreshes the list and tries again', async () => {
    let refused = false;
    const scripts = modernScripts([valid]);
    await using server = await scriptedServer({
      on: {
        ...scripts,
        'tools/call': (exchange) => {
          if (refused) return scripts['tools/call']?.(exchange);
          refused = true;
          exchange.rpcError(-32_020, 'HeaderMismatch', 400);
        },
      },
    });
    await using client = await clientV2('auto').connect(createHttpTransport({ url: server.url }));
    await client.tools();
    await client.call('valid', { region: 'eu' });
    expect(server.of('tools/list').length).toBeGreaterThan(1);
    expect(server.of('tools/call')).toHaveLength(2);
  });
});

describe('cancelling through an SDK', () => {
  it('SDK v2 closes the stream in the stateless revision, and sends nothing', async () => {
    const scripts: Scripts = { ...modernScripts([]), 'tools/call': (exchange) => void exchange.sse() };
    await using server = await scriptedServer({ on: scripts });
    await using client = await clientV2('auto').connect(createHttpTransport({ url: server.url }));
    const abort = new AbortController();
    const call = client.call('slow', {}, { signal: abort.signal }).catch((error: unknown) => error);
    const { ended } = await server.until('tools/call');
    abort.abort();
    await ended;
    expect(await call).toBeInstanceOf(Error);
    expect(server.of('notifications/cancelled')).toHaveLength(0);
  });
});

describe('subscriptions of SDK v2', () => {
  it('open, deliver, close, and learn when the server is gone', async () => {
    await using server = await sdkV2Server();
    let changes = 0;
    const client = new ClientV2(
      { name: 'x', version: '1' },
      { versionNegotiation: { mode: 'auto' }, listChanged: { tools: { onChanged: () => void changes++ } } },
    );
    await client.connect(createHttpTransport({ url: server.url }));
    const subscription = client.autoOpenedSubscription;
    expect(subscription).toBeDefined();
    server.handler.notify.toolsChanged();
    await when(() => changes > 0);
    await server.restart();
    expect(await subscription?.closed).toBe('remote');
    await client.close();
  });
});

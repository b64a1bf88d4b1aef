import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AuthPlugin } from '@mcp-fittings/client-core';
import { createHost, type HostEvents, type HostOptions } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { identity, testHost } from './support/calculator.js';
import { memoryCache } from './support/caches.js';
import { testServers } from './support/in-process.js';
import { jsonRpcServer, type JsonRpcRequest } from './support/json-rpc-server.js';

const toy = fileURLToPath(new URL('support/toy-server.mjs', import.meta.url));
const REF = { server: 'one', tool: 'echo' };

/** Records each call with its headers. */
async function recording() {
  const calls: { readonly request: JsonRpcRequest; readonly headers: IncomingHttpHeaders }[] = [];
  const server = await jsonRpcServer({
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
    'tools/call': (request, _response, { headers }) => {
      calls.push({ request, headers });
      return { content: [] };
    },
  });
  return Object.assign(server, { calls });
}

describe('the context of a call', () => {
  const hostOf = (options: Partial<HostOptions> = {}) => testHost([http(), stdio()], options);

  it('sends meta and headers with this call alone, also at the same time', async () => {
    await using server = await recording();
    await using host = hostOf({ traceContext: () => ({ traceparent: 'own' }) });
    await host.connect({ one: { url: server.url, headers: { 'x-entry': 'always' } } });
    await Promise.all(
      ['a', 'b', 'c'].map((tenant) =>
        host.callTool(
          REF,
          { tenant },
          { meta: { 'com.example/tenant': tenant, plain: 1 }, headers: { 'X-Tenant': tenant } },
        ),
      ),
    );
    await host.callTool(REF, { tenant: 'none' });
    for (const { request, headers } of server.calls) {
      const { tenant } = request.params['arguments'] as { tenant: string };
      const { progressToken: _, ...meta } = request.params['_meta'] as Record<string, unknown>;
      expect(headers['x-entry']).toBe('always');
      if (tenant === 'none') {
        expect(headers['x-tenant']).toBeUndefined();
        expect(meta).toEqual({ traceparent: 'own' });
      } else {
        expect(headers['x-tenant']).toBe(tenant);
        expect(meta).toEqual({ 'com.example/tenant': tenant, plain: 1, traceparent: 'own' });
      }
    }
    expect(server.calls).toHaveLength(4);
  });

  it('sends meta and headers with a notification and with a request of any method', async () => {
    await using server = await recording();
    await using host = hostOf();
    await host.connect({ one: { url: server.url } });
    const options = { meta: { 'com.example/a': 1 }, headers: { 'x-a': '1' } };
    await host.notify('one', 'notifications/com.example/x', { y: 1 }, options);
    await host.request({ server: 'one', method: 'tools/call' }, { name: 'echo' }, options);
    const sent = server.received.find(({ method }) => method === 'notifications/com.example/x');
    expect(sent?.params).toEqual({ y: 1, _meta: { 'com.example/a': 1 } });
    expect(server.calls[0]?.headers['x-a']).toBe('1');
    expect(server.calls[0]?.request.params['_meta']).toMatchObject({ 'com.example/a': 1 });
    expect(JSON.stringify(server.received)).not.toContain('mcp-fittings');
  });

  it.each([
    'progressToken',
    'traceparent',
    'TraceState',
    'baggage',
    'io.modelcontextprotocol/protocolVersion',
    'modelcontextprotocol.io/x',
    'com.mcp.tools/x',
    'com.mcp-fittings/headers',
  ])('refuses the key %s in meta', async (key) => {
    await using server = await recording();
    await using host = hostOf();
    await host.connect({ one: { url: server.url } });
    await expect(host.callTool(REF, {}, { meta: { [key]: 'secret' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      delivery: 'not-sent',
      message: expect.not.stringContaining('secret') as string,
    });
    await host.callTool(REF, {}, { meta: { 'com.example.mcp/x': 1 } });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    'Authorization',
    'cookie',
    'DPoP',
    'proxy-authorization',
    'mcp-session-id',
    'Mcp-Param-x',
    'content-type',
    'host',
    'bad name',
  ])('refuses the header %s', async (name) => {
    await using server = await recording();
    await using host = hostOf();
    await host.connect({ one: { url: server.url } });
    await expect(host.callTool(REF, {}, { headers: { [name]: 'secret' } })).rejects.toMatchObject({
      code: 'HEADER_INVALID',
      delivery: 'not-sent',
      message: expect.not.stringContaining('secret') as string,
    });
    expect(server.calls).toHaveLength(0);
  });

  it('refuses headers for a server that is not connected over HTTP', async () => {
    await using host = hostOf();
    await host.connect({ one: { command: process.execPath, args: [toy] } });
    const ref = { server: 'one', tool: 'pid' };
    await expect(host.callTool(ref, {}, { headers: { 'x-a': '1' } })).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
      delivery: 'not-sent',
      details: { transport: 'stdio' },
    });
    await host.callTool(ref, {}, { meta: { 'com.example/a': 1 } });
  });
});

/** Signs requests as the person of the call. */
const personal = (options: Partial<AuthPlugin> = {}): AuthPlugin => ({
  specVersion: 1,
  scheme: 'fake',
  separatesPrincipals: true,
  create: ({ principal = 'host' }) => ({
    headers: async () => ({ authorization: `Bearer ${principal}` }),
    onChallenge: async () => 'retry',
  }),
  ...options,
});

const listing = () =>
  jsonRpcServer({
    'tools/list': (_request, _response, { headers }) => ({
      tools: [{ name: `of ${headers.authorization}`, inputSchema: { type: 'object' } }],
    }),
    'tools/call': () => ({ content: [] }),
  });

describe('the principal of a call', () => {
  const base = { ...identity, transports: [http()] };

  it('refuses a sign-in scheme that does not separate people', async () => {
    await using server = await listing();
    await using host = createHost({
      ...base,
      auth: [personal({ separatesPrincipals: undefined })],
      lazy: true,
    });
    await host.connect({ one: { url: server.url } });
    await expect(host.start('one', { principal: 'ann' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.received).toEqual([]);
    await host.start('one');
    await expect(host.start('one', { principal: '' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('is that of the host by default, which has one connection', async () => {
    await using server = await listing();
    await using host = createHost({ ...base, auth: [personal()], principal: 'ann' });
    await host.connect({ one: { url: server.url } });
    const before = server.received.length;
    await host.start('one', { principal: 'ann' });
    expect(host.tools({ principal: 'ann' })).toEqual(host.tools());
    expect(server.received).toHaveLength(before);
  });

  it('keeps what is cached for each, also with a sign-in that has no identity', async () => {
    await using server = await listing();
    const options = { ...base, auth: [personal()], cache: memoryCache(), lazy: true };
    {
      await using host = createHost(options);
      await host.connect({ one: { url: server.url } });
      for (const principal of ['ann', 'bob']) await host.start('one', { principal });
    }
    await using host = createHost(options);
    await host.connect({ one: { url: server.url } });
    expect(host.tools()).toEqual([]);
    for (const principal of ['ann', 'bob', 'eve']) {
      // Rejects after the cached lists are restored, because the signal is aborted.
      await host.start('one', { principal, signal: AbortSignal.abort() }).catch(() => undefined);
      const names = host.tools({ principal }).map(({ name }) => name);
      expect(names.filter((name) => name !== `of Bearer ${principal}`)).toEqual([]);
    }
  });

  it('names the person in events, snapshots and callbacks', async () => {
    const servers = testServers(() => {
      const mcp = new McpServer({ name: 'asks', version: '1.0.0' });
      mcp.registerTool('ask', {}, async () => {
        const { action } = await mcp.server.elicitInput({
          message: 'Who?',
          requestedSchema: { type: 'object', properties: {} },
        });
        return { content: [{ type: 'text', text: action }] };
      });
      return mcp;
    });
    const asked: (string | undefined)[] = [];
    await using host = testHost([servers.plugin], {
      lazy: true,
      callbacks: {
        elicit: async (_request, { principal }) => {
          asked.push(principal);
          return { action: 'accept', content: {} };
        },
      },
    });
    const events: HostEvents['state'][] = [];
    host.on('state', (event) => void events.push(event));
    await host.connect({ one: { type: 'test' } });
    await Promise.all(
      ['ann', 'bob'].map((principal) => host.callTool({ server: 'one', tool: 'ask' }, {}, { principal })),
    );
    await host.callTool({ server: 'one', tool: 'ask' });
    expect(new Set(asked)).toEqual(new Set(['ann', 'bob', undefined]));
    const connected = events.filter(({ state }) => state.status === 'connected');
    expect(new Set(connected.map(({ principal }) => principal))).toEqual(new Set(['ann', 'bob', undefined]));
    expect(host.server('one', { principal: 'ann' })).toMatchObject({
      principal: 'ann',
      state: { status: 'connected' },
    });
    expect(host.server('one', { principal: 'eve' })).toMatchObject({
      principal: 'eve',
      state: { status: 'disconnected' },
    });
    expect(host.servers().map(({ principal }) => principal)).toEqual([undefined]);
  });

  it('closes and forgets a connection that is unused, and not one with a subscription', async () => {
    const clock = createManualClock();
    const servers = testServers(() => {
      const mcp = new McpServer(
        { name: 'notes', version: '1.0.0' },
        { capabilities: { resources: { subscribe: true } } },
      );
      mcp.registerTool('echo', {}, () => ({ content: [] }));
      mcp.registerResource('a', 'test://a', {}, () => ({ contents: [] }));
      mcp.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
      mcp.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
      return mcp;
    });
    await using host = testHost([servers.plugin], { lazy: true, clock, limits: { principalIdleMs: 1000 } });
    await host.connect({ one: { type: 'test' } });
    await host.callTool(REF, {}, { principal: 'ann' });
    await host.callTool(REF, {}, { principal: 'bob' });
    expect(servers.open).toBe(2);
    expect(host.tools({ principal: 'ann' })).toHaveLength(1);
    await clock.advance(900);
    await host.callTool(REF, {}, { principal: 'ann' });
    await clock.advance(900);
    await expect.poll(() => servers.open).toBe(1);
    expect(host.tools({ principal: 'bob' })).toEqual([]);
    expect(host.tools({ principal: 'ann' })).toHaveLength(1);
    const resource = { server: 'one', uri: 'test://a' };
    await host.subscribe(resource, { principal: 'ann' });
    await clock.advance(5000);
    expect(servers.open).toBe(1);
    await host.unsubscribe(resource, { principal: 'ann' });
    await clock.advance(1100);
    await expect.poll(() => servers.open).toBe(0);
  });

  it('makes room by the one that was unused for longest, and refuses while all are in use', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const servers = testServers(() => {
      const mcp = new McpServer({ name: 'slow', version: '1.0.0' });
      mcp.registerTool('echo', {}, () => ({ content: [] }));
      mcp.registerTool('hold', {}, async () => {
        await held;
        return { content: [] };
      });
      return mcp;
    });
    await using host = testHost([servers.plugin], { lazy: true, limits: { principals: 2 } });
    await host.connect({ one: { type: 'test' } });
    for (const principal of ['ann', 'bob', 'ann', 'eve']) await host.callTool(REF, {}, { principal });
    expect(servers.mostOpen).toBe(2);
    expect(host.tools({ principal: 'bob' })).toEqual([]);
    expect(host.tools({ principal: 'ann' })).toHaveLength(2);
    const holding = ['ann', 'eve'].map((principal) =>
      host.callTool({ server: 'one', tool: 'hold' }, {}, { principal }),
    );
    await expect(host.callTool(REF, {}, { principal: 'bob' })).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      retryable: true,
      delivery: 'not-sent',
    });
    release();
    await Promise.all(holding);
    await host.callTool(REF, {}, { principal: 'bob' });
    expect(servers.mostOpen).toBe(2);
  });

  it('obeys stop, disable, remove and close of the host', async () => {
    const servers = testServers(() => {
      const mcp = new McpServer({ name: 'plain', version: '1.0.0' });
      mcp.registerTool('echo', {}, () => ({ content: [] }));
      return mcp;
    });
    const host = testHost([servers.plugin], { lazy: true });
    await host.connect({ one: { type: 'test' } });
    const call = (principal: string) => host.callTool(REF, {}, { principal });
    await Promise.all(['ann', 'bob'].map(call));
    await host.stop('one', { principal: 'ann' });
    expect(servers.open).toBe(1);
    await call('ann');
    await host.stop('one');
    expect(servers.open).toBe(0);
    await expect(call('ann')).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED', delivery: 'not-sent' });
    await host.start('one');
    await Promise.all([call('ann'), host.callTool(REF)]);
    const disabling = host.disable('one');
    await expect(call('ann')).rejects.toMatchObject({ code: 'SERVER_DISABLED', delivery: 'not-sent' });
    await disabling;
    expect(servers.open).toBe(0);
    await expect(call('ann')).rejects.toMatchObject({ code: 'SERVER_DISABLED', delivery: 'not-sent' });
    host.enable('one');
    await call('ann');
    await host.connect({ one: { type: 'test', note: 'changed' } });
    expect(servers.open).toBe(0);
    await call('ann');
    await host.stop('one');
    await host.connect({ one: { type: 'test', note: 'changed again' } });
    await call('ann');
    await host.close();
    expect(servers.open).toBe(0);
    await expect(call('ann')).rejects.toMatchObject({ code: 'TRANSPORT_CLOSED' });
  });
});

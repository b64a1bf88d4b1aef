import { once } from 'node:events';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { type AuthPlugin, AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { createHost, type Host } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { http } from '@mcp-fittings/transport-http';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { createToolPolicy } from '@mcp-fittings/tools';
import { createCallbackRouter } from '../../src/callbacks/callback-router.js';
import type { UpstreamSignIn } from '../../src/contracts/access.js';
import type { RequestEvent } from '../../src/contracts/request-event.js';
import { gatewayOf, gatewayOver, send, text, toyServer } from './support.js';

const identity = { name: 'test', version: '1' };

/** A server that requires a sign-in, and the page for it. */
function guarded() {
  let signedIn = false;
  const auth: AuthPlugin = {
    specVersion: 1,
    scheme: 'fake',
    separatesPrincipals: true,
    create: () => ({
      headers: async () => ({}),
      onChallenge: async () => 'retry',
      signIn: async () => void (signedIn = true),
    }),
  };
  const make = () => {
    if (!signedIn) throw new AuthRequiredError('Please sign in.', { delivery: 'rejected' });
    return toyServer({ tools: [{ name: 'work' }], call: () => text('worked') });
  };
  return { auth, make, expire: () => (signedIn = false) };
}

describe('sign-in to a server', () => {
  for (const kind of ['v1', 'v2', 'modern'] as const) {
    it(`shows a client ${kind} the page, and calls the tool after the sign-in`, async () => {
      const { auth, make } = guarded();
      let complete = (): void => undefined;
      const pages: string[] = [];
      const signIn: UpstreamSignIn = {
        async open(caller, server) {
          pages.push(`${caller.id} ${server}`);
          const completed = new Promise<void>((resolve) => {
            complete = resolve;
          }).then(() => gateway.host.signIn(server, { principal: caller.principal }));
          return { url: 'https://gateway.test/sign-in/1', elicitationId: 'e1', completed };
        },
        respond: async () => undefined,
      };
      const failures: unknown[] = [];
      const observe = ({ error }: RequestEvent): void => void failures.push(error?.code);
      await using gateway = await gatewayOver({ guarded: make }, { signIn, observe, host: { auth: [auth] } });
      const caller = { id: 'ann', principal: 'ann' };
      const mount = { server: 'guarded' };
      const params = { name: 'work', arguments: {} };

      const mute = await gateway[kind]({ caller, mount });
      await expect(send(mute, 'tools/call', params)).rejects.toMatchObject({
        code: -32603,
        message: expect.stringContaining('https://gateway.test/sign-in/1'),
        data: { code: 'AUTH_REQUIRED', url: 'https://gateway.test/sign-in/1', delivery: 'rejected' },
      });

      const client = await gateway[kind]({ caller, mount, capabilities: { elicitation: { url: {} } } });
      const first = send(client, 'tools/call', params, { allowInputRequired: true });
      if (kind === 'modern') {
        const { requestState, inputRequests } = await first;
        expect(JSON.stringify(inputRequests)).toContain('https://gateway.test/sign-in/1');
        const answer = { ...params, requestState, inputResponses: { 'question-1': { action: 'accept' } } };
        const call = send(client, 'tools/call', answer);
        complete();
        expect(await call).toMatchObject({ content: [{ text: 'worked' }] });
      } else {
        await expect(first).rejects.toMatchObject({
          code: -32042,
          data: { elicitations: [{ url: 'https://gateway.test/sign-in/1', elicitationId: 'e1' }] },
        });
        const told = new Promise((resolve) => {
          client.fallbackNotificationHandler = async ({ method }) => resolve(method);
        });
        complete();
        expect(await told).toBe('notifications/elicitation/complete');
        expect(await send(client, 'tools/call', params)).toMatchObject({ content: [{ text: 'worked' }] });
      }
      expect(pages.every((page) => page === 'ann guarded')).toBe(true);
      expect(failures).toEqual(['AUTH_REQUIRED', ...(kind === 'modern' ? [] : ['AUTH_REQUIRED']), undefined]);
    });
  }
});

describe('a sign-in that has ended', () => {
  it('leads to the page when a tool is called that was listed before', async () => {
    const { auth, make, expire } = guarded();
    const signIn: UpstreamSignIn = {
      open: async () => ({
        url: 'https://gateway.test/sign-in/2',
        elicitationId: 'e2',
        completed: new Promise(() => undefined),
      }),
      respond: async () => undefined,
    };
    await using gateway = await gatewayOver({ guarded: make }, { signIn, host: { auth: [auth] } });
    await gateway.host.signIn('guarded');
    const client = await gateway.v2();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['guarded__work']);
    expire();
    await gateway.host.restart('guarded').catch(() => undefined);
    expect((await client.listTools()).tools).toEqual([]);
    await expect(client.callTool({ name: 'guarded__work', arguments: {} })).rejects.toMatchObject({
      data: { code: 'AUTH_REQUIRED', url: 'https://gateway.test/sign-in/2' },
    });
    await expect(client.callTool({ name: 'guarded__other', arguments: {} })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('servers behind the gateway', () => {
  it('passes results on as they came, also what no revision knows', async () => {
    const odd = () =>
      toyServer({
        tools: [{ name: 'odd', outputSchema: { type: 'array' } }],
        resources: [{ uri: 'x://1', name: 'x', custom: 1 }],
        read: (uri) => ({ contents: [{ uri, text: 'a', custom: 2 }], custom: 3 }),
        call: () => ({
          content: [
            { type: 'hologram', depth: 3 },
            { type: 'text', text: 'x', custom: 4 },
          ],
          structuredContent: { any: [1] },
          isError: true,
          _meta: { 'x.test/a': { b: 1 } },
        }),
      });
    await using gateway = await gatewayOver({ odd });
    for (const kind of ['v2', 'modern'] as const) {
      const client = await gateway[kind]({ mount: { server: 'odd' } });
      const raw: unknown[] = [];
      const { transport } = client;
      if (transport === undefined) throw new Error('not connected');
      const { onmessage } = transport;
      transport.onmessage = (message, extra) => {
        raw.push(message);
        onmessage?.(message, extra);
      };
      await send(client, 'tools/call', { name: 'odd', arguments: {} }).catch(() => undefined);
      await send(client, 'resources/read', { uri: 'x://1' });
      expect(raw[0]).toMatchObject({
        result: {
          content: [
            { type: 'hologram', depth: 3 },
            { type: 'text', text: 'x', custom: 4 },
          ],
          isError: true,
          _meta: { 'x.test/a': { b: 1 } },
        },
      });
      expect(raw[1]).toMatchObject({
        result: { contents: [{ uri: 'x://1', text: 'a', custom: 2 }], custom: 3 },
      });
    }
  });

  it('never sends what a client has authenticated with, nor its session, to a server; tells observers', async () => {
    const requests: string[] = [];
    const serve = toNodeHandler(
      createMcpHandler(() => toyServer({ tools: [{ name: 'x' }], call: () => text('ok') })),
    );
    const server = createServer((request, response) => {
      requests.push(JSON.stringify(request.headers));
      request.on('data', (chunk: Buffer) => requests.push(chunk.toString()));
      void serve(request as Parameters<typeof serve>[0], response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const host = createHost({ ...identity, transports: [http()] });
    await host.connect({ web: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
    const events: RequestEvent[] = [];
    {
      await using gateway = gatewayOf(host, { observe: (event) => events.push(event) });
      for (const kind of ['v2', 'modern'] as const) {
        const client = await gateway[kind]({ caller: { id: 'issuer/secret-subject', principal: kind } });
        const result = await send(client, 'tools/call', {
          name: 'web__x',
          arguments: { a: 1 },
          _meta: { 'io.modelcontextprotocol/token': 'secret-meta', 'com.example/tenant': 't1' },
        });
        expect(result).toMatchObject({ content: [{ text: 'ok' }] });
      }
      await (await gateway.v2()).callTool({ name: 'web__none', arguments: {} }).catch(() => undefined);
    }
    server.closeAllConnections();
    server.close();
    expect(requests.join('\n')).toContain('t1');
    expect(requests.join('\n')).not.toContain('secret');
    expect(events.map(({ server: name, method, target, error }) => [name, method, target, error])).toEqual([
      ['web', 'tools/call', 'x', undefined],
      ['web', 'tools/call', 'x', undefined],
    ]);
  });

  it('says how long lists may be kept, and by whom', async () => {
    const clock = createManualClock({ now: 1_000_000 });
    const listing = (ttlMs: number, cacheScope: string) => () => {
      const server = toyServer({});
      server.setRequestHandler('tools/list', () => ({
        tools: [{ name: `t${ttlMs}`, inputSchema: { type: 'object' as const } }],
        ttlMs,
        cacheScope,
      }));
      return server;
    };
    const publicOnes = { a: listing(60_000, 'public'), b: listing(5000, 'public') };
    await using shared = await gatewayOver(publicOnes, { clock, host: { clock } });
    await using mixed = await gatewayOver(
      { ...publicOnes, c: listing(9000, 'private') },
      { clock, host: { clock } },
    );
    const freshness = async (gateway: typeof shared, caller = {}): Promise<unknown> => {
      const client = await gateway.modern({ caller: { id: 'x', ...caller } });
      const { ttlMs, cacheScope } = await send(client, 'tools/list');
      return { ttlMs, cacheScope };
    };
    expect(await freshness(shared)).toEqual({ ttlMs: 5000, cacheScope: 'public' });
    expect(await freshness(shared, { principal: 'p' })).toEqual({ ttlMs: 5000, cacheScope: 'private' });
    expect(await freshness(mixed)).toEqual({ ttlMs: 5000, cacheScope: 'private' });
    await clock.advance(2000);
    expect(await freshness(shared)).toEqual({ ttlMs: 3000, cacheScope: 'public' });
  });
});

/** Resolves when the server is in this state. */
const reaches = (host: Host, status: string): Promise<void> =>
  vi.waitFor(() => expect(host.server('toy').state.status).toBe(status));

describe('a server that is away', () => {
  const toy = () => toyServer({ tools: [{ name: 'work' }], call: () => text('worked') });
  const entry = { toy: { type: 'sdk', reconnect: { maxAttempts: 1, delayMs: 1000 } } };
  it.each([
    ['v1', '/mcp', 'toy__work'],
    ['v2', '/mcp/toy', 'work'],
    ['modern', '/mcp', 'toy__work'],
    ['modern', '/mcp/toy', 'work'],
  ] as const)(
    'is reached by a call of a client %s at %s when it is back, and called away until then',
    async (kind, address, name) => {
      const clock = createManualClock();
      let isDown = false;
      const make = () => {
        if (isDown) throw new FittingsError('CONNECT_FAILED', 'refused', { kind: 'network-temporary' });
        return toy();
      };
      const callbacks = createCallbackRouter();
      const host = createHost({
        ...identity,
        transports: [inprocess({ servers: { toy: make } })],
        callbacks: callbacks.hostCallbacks,
        clock,
        random: () => 0,
      });
      isDown = true;
      const passing = async <T>(work: Promise<T>): Promise<T> => {
        let isOpen = true;
        const end = () => void (isOpen = false);
        work.then(end, end);
        while (isOpen) await clock.advance(100);
        return work;
      };
      await passing(host.connect(entry));
      await passing(reaches(host, 'failed'));
      await using gateway = gatewayOf(host, { callbacks, clock });
      const mount = address === '/mcp' ? {} : { server: 'toy' };
      const client = await passing(gateway[kind]({ mount }));
      await expect(passing(client.callTool({ name, arguments: {} }))).rejects.toMatchObject({
        data: { code: 'CONNECT_FAILED', delivery: 'not-sent', retryable: true },
      });
      isDown = false;
      await clock.advance(60_000);
      expect(await passing(client.callTool({ name, arguments: {} }))).toMatchObject({
        content: [{ text: 'worked' }],
      });
      const other = name.replace('work', 'play');
      await expect(client.callTool({ name: other, arguments: {} })).rejects.toMatchObject({
        data: { code: 'TOOL_UNKNOWN', retryable: false },
      });
    },
  );

  it.each(['v2', 'modern'] as const)(
    'has an error instead of empty lists at its address: %s',
    async (kind) => {
      let isDown = true;
      const make = () => {
        if (isDown) throw new FittingsError('CONNECT_FAILED', 'refused', { kind: 'network-temporary' });
        return toy();
      };
      const host = createHost({ ...identity, transports: [inprocess({ servers: { toy: make } })] });
      // It waits for its second attempt.
      await host.connect({ toy: { type: 'sdk', reconnect: { delayMs: 3_600_000 } } });
      await reaches(host, 'pending');
      await using gateway = gatewayOf(host, { limits: { listMs: 1, handshakeMs: 1 } });
      const client = await gateway[kind]({ mount: { server: 'toy' } });
      await expect(client.listTools()).rejects.toMatchObject({ data: { code: 'CONNECT_FAILED' } });
      isDown = false;
      await host.restart('toy');
      expect((await client.listTools()).tools).not.toEqual([]);
    },
  );

  it('is unknown to a caller who may not use it', async () => {
    const host = createHost({
      ...identity,
      transports: [inprocess({ servers: { toy } })],
    });
    await host.connect({ toy: { type: 'sdk', disabled: true } });
    await using gateway = gatewayOf(host, {});
    const client = await gateway.v2({ caller: { id: 'c', allows: () => false } });
    await expect(client.callTool({ name: 'toy__work', arguments: {} })).rejects.toMatchObject({
      data: { code: 'TOOL_UNKNOWN' },
    });
  });

  it.each([
    ['wipe', { destructiveHint: true }, { allowedTools: ['wipe'], writePermission: 'deny' }],
    ['peek', { readOnlyHint: true }, { readPermission: 'deny' }],
  ] as const)('does not run %s, whose annotations %j the policy denies', async (name, annotations, rules) => {
    const ran = vi.fn(() => text('ran'));
    let isDown = true;
    const make = () => {
      if (isDown) throw new FittingsError('CONNECT_FAILED', 'refused', { kind: 'network-temporary' });
      return toyServer({ tools: [{ name, annotations }], call: ran });
    };
    const policy = createToolPolicy({ servers: { toy: rules } });
    await using gateway = await gatewayOver({ toy: make }, { policy });
    const { host } = gateway;
    await host.remove('toy');
    await host.connect({ toy: { type: 'sdk', reconnect: { maxAttempts: 1, delayMs: 1 } } });
    await reaches(host, 'failed');
    const client = await gateway.v2({ mount: { server: 'toy' } });
    isDown = false;
    await vi.waitFor(() =>
      expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
        data: { code: 'POLICY_DENIED' },
      }),
    );
    expect(host.server('toy').state.status).toBe('connected');
    expect(ran).not.toHaveBeenCalled();
  });
});

import { connect } from 'node:net';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Client, request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import type { Access } from '../../src/contracts/access.js';
import { createHost } from '@mcp-fittings/host';
import { oauthResource } from '../../src/access/oauth-resource.js';
import { createGateway } from '../../src/create-gateway.js';
import { createFrontDoors } from '../../src/front-doors.js';
import { gatewayOver, toyServer } from '../core/support.js';
import { createTestSurface } from '../support/test-surface.js';
import { INITIALIZE, SIGNED, byName, startTestGateway } from '../support/test-gateway.js';
import { refuse } from '../../src/http/refusals.js';

const ORIGIN = 'https://app.example.com';

describe('who may send a request', () => {
  it.each([
    ['a name that a web page has rebound', 'evil.example'],
    ['user information', 'localhost@evil.example'],
    ['a path', 'localhost/evil'],
    ['a query', 'localhost?evil'],
    ['a fragment', 'localhost#evil'],
    ['nothing', ''],
  ])('refuses a Host header with %s, before anything else', async (_what, host) => {
    const authenticate = vi.fn((asked: Request) => byName.authenticate(asked));
    await using served = await startTestGateway({ access: { ...byName, authenticate } });
    const { statusCode, body } = await request(served.url, {
      method: 'POST',
      headers: { ...SIGNED, host },
      body: JSON.stringify(INITIALIZE),
    });
    expect(statusCode).toBe(403);
    expect(await body.json()).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
    expect(authenticate).not.toHaveBeenCalled();
  });

  it('accepts loopback names and allowed hosts, with or without the port', async () => {
    await using served = await startTestGateway({
      allowedHosts: ['mcp.example.com', 'other.example:8443'],
    });
    const status = async (host: string): Promise<number> => {
      const { statusCode, body } = await request(served.url, { headers: { ...SIGNED, host } });
      await body.dump();
      return statusCode;
    };
    // Past the gates, a GET needs a session.
    expect(
      await Promise.all(
        [
          'localhost',
          '127.0.0.1:1',
          '[::1]',
          'MCP.example.com',
          'mcp.example.com:99',
          'other.example:8443',
        ].map(status),
      ),
    ).toEqual([400, 400, 400, 400, 400, 400]);
    expect(await status('other.example:1')).toBe(403);
  });

  it('refuses the Origin of a web page, also with a token', async () => {
    await using served = await startTestGateway({ allowedOrigins: [ORIGIN] });
    for (const origin of ['https://evil.example', 'null', 'http://app.example.com', `${ORIGIN}:444`]) {
      const response = await served.post(INITIALIZE, { origin });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
  });

  it('accepts a form of its own pages, and not those of other ports and schemes', async () => {
    await using served = await startTestGateway({ allowedHosts: ['mcp.example.com'] });
    const ask = async (origin: string, host: string): Promise<number> => {
      const { statusCode, body } = await request(served.url, { headers: { ...SIGNED, origin, host } });
      await body.dump();
      return statusCode;
    };
    expect(await ask('http://localhost:1234', 'localhost:1234')).toBe(400);
    expect(await ask('https://mcp.example.com', 'mcp.example.com')).toBe(400);
    expect(await ask('https://mcp.example.com', 'mcp.example.com:443')).toBe(400);
    expect(await ask('http://localhost:1235', 'localhost:1234')).toBe(403);
    expect(await ask('http://mcp.example.com', 'mcp.example.com')).toBe(403);
    expect(await ask('https://mcp.example.com:8443', 'mcp.example.com')).toBe(403);
    expect(await ask('ftp://localhost', 'localhost')).toBe(403);
  });

  it('lets a page of an allowed origin read every answer, and what it needs of the headers', async () => {
    await using served = await startTestGateway({ allowedOrigins: [ORIGIN] });
    const answers = [
      await served.post(INITIALIZE, { origin: ORIGIN }),
      await served.post(INITIALIZE, { origin: ORIGIN, authorization: 'Bearer wrong' }),
      await served.post('{', { origin: ORIGIN }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 400]);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('vary')).toContain('Origin');
      const exposed = headers.get('access-control-expose-headers');
      for (const name of ['Mcp-Session-Id', 'WWW-Authenticate', 'Mcp-Protocol-Version'])
        expect(exposed).toContain(name);
    }
  });

  it('answers a preflight request of an allowed origin without a token', async () => {
    await using served = await startTestGateway({ allowedOrigins: [ORIGIN] });
    const preflight = (origin: string) =>
      request(served.url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, mcp-param-region, x-evil',
        },
      });
    const { statusCode, headers } = await preflight(ORIGIN);
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-methods']).toBe('GET, POST, DELETE');
    const allowed = String(headers['access-control-allow-headers']).split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'mcp-session-id',
        'dpop',
        'mcp-protocol-version',
        'mcp-param-region',
      ]),
    );
    expect(allowed).not.toContain('x-evil');
    expect((await preflight('https://evil.example')).statusCode).toBe(403);
  });

  it('lets a page of any origin read the metadata of access, and nothing else', async () => {
    const access = oauthResource({ resource: 'http://localhost/mcp', issuers: ['https://login.example'] });
    await using served = await startTestGateway({ access });
    const ask = async (path: string, method = 'GET') => {
      const { status, headers } = await fetch(new URL(path, served.url), {
        method,
        headers: { origin: ORIGIN },
      });
      return [status, headers.get('access-control-allow-origin')];
    };
    const metadata = '/.well-known/oauth-protected-resource/mcp';
    expect(await ask(metadata)).toEqual([200, '*']);
    expect(await ask(metadata, 'OPTIONS')).toEqual([204, '*']);
    expect(await ask('/mcp')).toEqual([403, null]);
  });

  it('passes the challenge of access on, with a body of JSON-RPC, and nothing is cached', async () => {
    await using served = await startTestGateway();
    const response = await served.post(INITIALIZE, { authorization: 'Bearer wrong' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('server')).toBeNull();
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
  });

  it('asks for the token before it reads the body', async () => {
    await using served = await startTestGateway();
    const { port } = new URL(served.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 5000000\r\n\r\n`,
    );
    const [head] = await once(socket, 'data');
    expect(String(head)).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  it('a connection stays usable after a request that was refused with its body unread', async () => {
    await using served = await startTestGateway();
    const { port } = new URL(served.url);
    const socket = connect(Number(port), '127.0.0.1');
    const body = 'x'.repeat(300_000);
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    // Two requests on one connection, the second before the first was answered.
    socket.write(head + body + head + body);
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    await expect.poll(() => received.match(/HTTP\/1\.1 401/g)?.length).toBe(2);
    socket.write('GET /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ann\r\n\r\n');
    await expect.poll(() => received).toContain('HTTP/1.1 400');
    socket.destroy();
  });

  it('answers pages of access, of sign-in and of the program before it asks for a token', async () => {
    const page = (path: string) => async (asked: Request) =>
      new URL(asked.url).pathname === path
        ? new Response(path, { headers: { 'cache-control': 'max-age=60' } })
        : undefined;
    await using served = await startTestGateway({
      access: { ...byName, respond: page('/.well-known/oauth-protected-resource') },
      signIn: { respond: page('/sign-in/1'), open: () => Promise.reject(new Error('not asked')) },
      pages: [{ respond: page('/healthz') }],
    });
    for (const path of ['/.well-known/oauth-protected-resource', '/sign-in/1', '/healthz']) {
      const response = await fetch(new URL(path, served.url));
      expect([response.status, await response.text(), response.headers.get('cache-control')]).toEqual([
        200,
        path,
        'max-age=60',
      ]);
    }
    expect((await fetch(new URL('/other', served.url))).status).toBe(404);
  });

  it('streams the page of a program, until the client leaves', async () => {
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
      cancel: () => leave(),
    });
    const headers = { 'content-type': 'text/event-stream' };
    await using served = await startTestGateway({
      pages: [{ respond: async () => new Response(body, { headers }) }],
    });
    const response = await fetch(new URL('/events', served.url));
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: 1');
    await reader.cancel();
    await left;
  });

  it('says nothing of an unexpected error', async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const access: Access = { authenticate: () => Promise.reject(new Error('password hunter2')) };
    await using served = await startTestGateway({ access, logger });
    const response = await served.post(INITIALIZE);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_603, message: 'Internal error.' },
    });
    expect(logger.error).toHaveBeenCalledOnce();
  });
});

describe('what a request may be', () => {
  it.each([
    ['a body that is not JSON', '{', {}, 400, -32_700],
    ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, -32_700],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32_000],
    ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415, -32_000],
    ['a body over the limit', JSON.stringify('x'.repeat(2000)), {}, 413, -32_000],
    ['no session and not initialize', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, 400, -32_000],
    ['JSON that is not a message', '{"a":1}', {}, 400, undefined],
    [
      'an Accept header without event streams',
      JSON.stringify(INITIALIZE),
      { accept: 'application/json' },
      406,
      -32_000,
    ],
    [
      'an unknown session',
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      { 'mcp-session-id': 'x' },
      404,
      -32_001,
    ],
  ])('refuses %s', async (_what, body, headers, status, code) => {
    await using served = await startTestGateway({ maxBodyBytes: 1000 });
    const response = await request(served.url, { method: 'POST', headers: { ...SIGNED, ...headers }, body });
    const answer = (await response.body.json()) as { jsonrpc: string; error: { code: number } };
    expect([response.statusCode, answer.jsonrpc]).toEqual([status, '2.0']);
    if (code !== undefined) expect(answer.error.code).toBe(code);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(served.gateway.load()).toEqual({ sessions: 0, requestsInFlight: 0 });
    expect(served.surface.sessions.size).toBe(0);
  });

  it('stops reading a body of unknown length at the limit', async () => {
    await using served = await startTestGateway({ maxBodyBytes: 1000 });
    async function* endless() {
      for (let sent = 0; sent < 100; sent += 1) yield Buffer.alloc(500, 0x20);
    }
    const { statusCode, body } = await request(served.url, {
      method: 'POST',
      headers: SIGNED,
      body: Readable.from(endless()),
    });
    expect(statusCode).toBe(413);
    await body.dump();
  });

  it.each(['HEAD', 'PUT', 'PATCH', 'OPTIONS'] as const)('refuses the method %s', async (method) => {
    await using served = await startTestGateway();
    const { statusCode, headers, body } = await request(served.url, { method, headers: SIGNED });
    expect([statusCode, headers['allow']]).toEqual([405, 'GET, POST, DELETE']);
    await body.dump();
  });

  it.each(['/mcp/', '/mcp/a/b', '/mcp/%ff', '/mcpx', '//', '/mcp/unknown'])(
    'serves nothing at %s',
    async (path) => {
      await using served = await startTestGateway();
      // `fetch` would normalize the path.
      const client = new Client(new URL(served.url).origin);
      const { statusCode, body } = await client.request({
        path,
        method: 'POST',
        headers: SIGNED,
        body: JSON.stringify(INITIALIZE),
      });
      expect(statusCode).toBe(404);
      await body.dump();
      await client.close();
    },
  );

  it('only the Host header counts in a request of absolute form', async () => {
    await using served = await startTestGateway();
    const { port } = new URL(served.url);
    const ask = async (target: string, host: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.end(
        `GET ${target} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ann\r\nconnection: close\r\n\r\n`,
      );
      const [head] = await once(socket, 'data');
      socket.destroy();
      return String(head).slice(9, 12);
    };
    expect(await ask('http://evil.example/mcp', 'localhost')).toBe('400');
    expect(await ask('http://localhost/mcp', 'evil.example')).toBe('403');
  });

  it('uses the base path that it is given', async () => {
    await using served = await startTestGateway({ basePath: '/api/v1/mcp' });
    expect(served.url).toMatch(/\/api\/v1\/mcp$/);
    await (await served.clientV1()).ping();
    expect((await fetch(new URL('/mcp', served.url))).status).toBe(404);
  });
});

describe('a gateway without access', () => {
  const serves = (): boolean => true;
  const ask = (): Request =>
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: SIGNED,
      body: JSON.stringify(INITIALIZE),
    });

  it.each([undefined, '127.0.0.1', '::1', 'localhost', '0.0.0.0'])('does not listen on %s', async (host) => {
    await using gateway = createFrontDoors(createTestSurface(), serves, {});
    const refused = { code: 'CONFIG_INVALID', hint: expect.stringContaining('access') };
    await expect(gateway.listen({ port: 0, host })).rejects.toMatchObject(refused);
    await using trusting = createFrontDoors(createTestSurface(), serves, { trustedCaller: { id: 'ci' } });
    await expect(trusting.listen({ port: 0, host })).rejects.toMatchObject(refused);
  });

  it('refuses every request, whatever token it has', async () => {
    await using gateway = createFrontDoors(createTestSurface(), serves, {});
    const response = await gateway.fetch(ask());
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('`access`') } });
  });

  it('serves a program that says who the caller is', async () => {
    const surface = createTestSurface();
    await using gateway = createFrontDoors(surface, serves, {
      trustedCaller: ({ headers }) => ({ id: headers.get('x-user') ?? 'unknown' }),
    });
    const request = ask();
    request.headers.set('x-user', 'ann');
    expect((await gateway.fetch(request)).status).toBe(200);
    expect(surface.connections[0]?.caller.id).toBe('ann');
  });

  it('needs the host names of clients beyond loopback', async () => {
    await using gateway = createFrontDoors(createTestSurface(), serves, { access: byName });
    await expect(gateway.listen({ port: 0, host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('allowedHosts'),
    });
  });

  it.each([
    ['access and trustedCaller', { access: byName, trustedCaller: { id: 'x' } }],
    ['a base path with a slash at its end', { basePath: '/mcp/' }],
    ['an origin with a path', { allowedOrigins: ['https://app.example.com/'] }],
    ['a host that is a URL', { allowedHosts: ['https://mcp.example.com'] }],
    ['a limit of zero', { sessions: { max: 0 } }],
    ['a limit that is not a number', { maxBodyBytes: Number.NaN }],
  ])('refuses %s', (_what, options) => {
    expect(() => createFrontDoors(createTestSurface(), serves, options)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.any(String) }),
    );
  });

  it('says that a port is in use', async () => {
    await using served = await startTestGateway();
    const port = Number(new URL(served.url).port);
    await expect(served.gateway.listen({ port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('port 0'),
    });
  });
});

describe('a callback of the program', () => {
  const broken = (): never => {
    throw new Error('the disk is full');
  };
  const noisy = { debug: broken, info: broken, warn: broken, error: async () => broken() };

  it.each([
    undefined,
    null,
    true,
    {},
    { caller: undefined },
    { caller: {} },
    { caller: { id: 5 } },
    { refusal: 5 },
    { refusal: undefined },
  ])('that does not name a caller lets no one in: %j', async (answer) => {
    const access = { authenticate: async () => answer } as unknown as Access;
    await using served = await startTestGateway({ access });
    expect((await served.post(INITIALIZE)).status).toBe(500);
    expect(served.surface.connections).toEqual([]);
  });

  it('that throws refuses the request, also if the logger throws or rejects', async () => {
    const host = createHost({ name: 'test', version: '1', transports: [] });
    for (const logger of [noisy, { ...noisy, error: broken }]) {
      await using gateway = createGateway(host, { access: { authenticate: broken }, logger });
      const { url } = await gateway.listen({ port: 0 });
      for (const _times of [1, 2]) {
        const { statusCode, body } = await request(url, { method: 'POST', headers: SIGNED, body: '{}' });
        expect(statusCode).toBe(500);
        await body.dump();
      }
    }
  });

  it.each([undefined, null, 'yes'])('`allows` that answers %j allows nothing', async (answer) => {
    const caller = { id: 'c', allows: () => answer as unknown as boolean };
    await using gateway = await gatewayOver({ tools: () => toyServer({ tools: [{ name: 'run' }] }) });
    for (const kind of ['v2', 'modern'] as const) {
      const client = await gateway[kind]({ caller });
      expect((await client.listTools()).tools).toEqual([]);
    }
    await using served = await startTestGateway({ access: { authenticate: async () => ({ caller }) } });
    await served.post(INITIALIZE);
    expect(served.surface.connections[0]?.caller.allows?.('notes')).toBe(false);
  });
});

it('a refusal has the data that explains it to a program, if there is any', async () => {
  const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'No.' } };
  expect(await refuse(403, 'No.').json()).toEqual(refusal);
  const data = { error: 'insufficient_scope' };
  expect(await refuse(403, 'No.', { data }).json()).toEqual({
    ...refusal,
    error: { ...refusal.error, data },
  });
});

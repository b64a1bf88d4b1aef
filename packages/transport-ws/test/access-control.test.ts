import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type AuthChallenge, AuthRequiredError } from '@mcp-fittings/client-core';
import { createWebSocketServer, type WebSocketServerOptions } from '@mcp-fittings/transport-ws/server';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { client } from './support/clients.js';
import { startServer, TOKEN } from './support/mcp-server.js';
import { askForUpgrade } from './support/upgrade-request.js';

const BEARER = { Authorization: `Bearer ${TOKEN}` };

/** What a request is answered. A refused one never reaches `onConnection`. */
async function statusOf(
  options: Partial<WebSocketServerOptions>,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  let connections = 0;
  await using server = await startServer({ onConnection: () => void (connections += 1), ...options });
  const { status } = await askForUpgrade(server.port, { Host: `127.0.0.1:${server.port}`, ...headers });
  expect(connections).toBe(status === 101 ? 1 : 0);
  return status;
}

describe('who may connect (the shape of CVE-2025-52882)', () => {
  it.each([
    ['the token and no Origin', {}, BEARER, 101],
    ['the token in another case of the scheme', {}, { Authorization: `bearer ${TOKEN}` }, 101],
    ['no token', {}, {}, 401],
    ['an empty token', {}, { Authorization: 'Bearer ' }, 401],
    ['a wrong token', {}, { Authorization: 'Bearer x-token-of-enough-length' }, 401],
    ['the beginning of the token', {}, { Authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 401],
    ['the token with something behind it', {}, { Authorization: `Bearer ${TOKEN}x` }, 401],
    ['the token under another scheme', {}, { Authorization: `Basic ${TOKEN}` }, 401],
    ['the token in the query only', {}, { 'X-Token': TOKEN }, 401],
    ['the token from a page of any Origin', {}, { ...BEARER, Origin: 'https://evil.example' }, 403],
    ['the token from a sandboxed page', {}, { ...BEARER, Origin: 'null' }, 403],
    ['the token from an empty Origin', {}, { ...BEARER, Origin: '' }, 403],
    ['the token from a page on this machine', {}, { ...BEARER, Origin: 'http://localhost' }, 403],
    ['an allowed Origin and the token', ALLOWED(), { ...BEARER, Origin: 'https://app.example' }, 101],
    ['an allowed Origin without the token', ALLOWED(), { Origin: 'https://app.example' }, 401],
    ['an Origin with another port', ALLOWED(), { ...BEARER, Origin: 'https://app.example:8443' }, 403],
    ['an Origin with another scheme', ALLOWED(), { ...BEARER, Origin: 'http://app.example' }, 403],
    ['an Origin that only begins alike', ALLOWED(), { ...BEARER, Origin: 'https://app.example.evil' }, 403],
    ['an Origin in the old header', {}, { ...BEARER, 'Sec-WebSocket-Origin': 'https://evil.example' }, 403],
    ['an IDE token in its own header', IDE(), { 'X-Ide-Auth': TOKEN }, 101],
    ['an IDE token in the usual header', IDE(), BEARER, 401],
  ])('%s', async (_, options, headers, expected) => {
    expect(await statusOf(options, headers)).toBe(expected);
  });

  it('without token and authenticate, only pages of an allowed Origin get in', async () => {
    const options = { allowedOrigins: ['https://App.example:443/', 'vscode-webview://Abc'] };
    expect(await statusOf(options, { Origin: 'https://app.example' })).toBe(101);
    expect(await statusOf(options, { Origin: 'vscode-webview://Abc' })).toBe(101);
    expect(await statusOf(options, { Origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(options, {})).toBe(403);
  });

  it('a refused request is answered, the connection is closed, and nothing of it is repeated', async () => {
    await using server = await startServer();
    const answer = await askForUpgrade(server.port, { Origin: '<script>' });
    expect(answer).toMatchObject({
      status: 403,
      body: 'The Origin is not allowed.\n',
      headers: { connection: 'close', 'content-type': 'text/plain; charset=utf-8' },
    });
    const unauthorized = await askForUpgrade(server.port, {});
    expect(unauthorized).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('does not wait for the other end to close', async () => {
    await using server = await startServer();
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await once(socket, 'data');
    const [other] = server.listening.sockets;
    if (other !== undefined) await once(other, 'close');
    expect(server.listening.sockets.size).toBe(0);
    socket.destroy();
  });

  it('options that would admit no client, or every client, are refused', () => {
    const server = createServer();
    const onConnection = (): void => undefined;
    const bad: Partial<WebSocketServerOptions>[] = [
      {},
      { token: '' },
      { token: 'short' },
      { token: TOKEN, authenticate: () => true },
      { allowedOrigins: [] },
      { allowedOrigins: ['*'] },
      { token: TOKEN, allowedOrigins: ['null'] },
      { token: TOKEN, allowedOrigins: ['app.example'] },
      { token: TOKEN, maxMessageBytes: 0 },
      { token: TOKEN, maxConnections: Number.NaN },
      { token: TOKEN, handshakeMs: 0 },
    ];
    for (const options of bad) {
      expect(() => createWebSocketServer({ server, onConnection, ...options })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
    expect(server.listenerCount('upgrade')).toBe(0);
  });
});

function ALLOWED(): Partial<WebSocketServerOptions> {
  return { token: TOKEN, allowedOrigins: ['https://app.example'] };
}

function IDE(): Partial<WebSocketServerOptions> {
  return { tokenHeader: 'X-Ide-Auth' };
}

describe('the Host header (DNS rebinding)', () => {
  it.each([
    ['evil.example', 403],
    ['evil.example:1234', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['127.0.0.1@evil.example', 403],
    ['evil.example@127.0.0.1', 403],
    ['127.0.0.1/evil.example', 403],
    ['evil.example/127.0.0.1', 403],
    ['127.0.0.1#evil.example', 403],
    ['localhost?evil.example', 403],
    ['localhost?', 403],
    ['localhost#', 403],
    ['192.168.1.7', 403],
    ['0.0.0.0', 403],
    ['localhost', 101],
    ['LOCALHOST:80', 101],
    ['localhost.', 101],
    ['127.0.0.1:9', 101],
    ['[::1]:9', 101],
  ])('%s is %i', async (host, expected) => {
    expect(await statusOf({}, { ...BEARER, Host: host })).toBe(expected);
  });

  it('has to be there', async () => {
    await using server = await startServer();
    const head = [
      'GET /mcp HTTP/1.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Authorization: ${BEARER.Authorization}`,
    ];
    for (const more of [[], ['Host:'], ['Host: evil.example', 'Host: localhost']]) {
      const socket = connect(server.port, '127.0.0.1');
      socket.end([...head, ...more, '\r\n'].join('\r\n'));
      expect(await text(socket)).toMatch(/^HTTP\/1.1 40[03] /);
    }
  });

  it('takes the names that it is told, or any', async () => {
    const allowedHosts = ['mcp.example', 'other.example:8443'];
    const tries = [
      ['mcp.example', 101],
      ['MCP.example:1', 101],
      ['other.example:8443', 101],
      ['other.example', 403],
      ['localhost', 403],
    ] as const;
    for (const [host, expected] of tries) {
      expect(await statusOf({ allowedHosts }, { ...BEARER, Host: host })).toBe(expected);
    }
    expect(await statusOf({ allowedHosts: 'any' }, { ...BEARER, Host: 'evil.example' })).toBe(101);
  });
});

describe('authenticate', () => {
  it('decides, with the challenge that our client needs to sign in', async () => {
    const challenge = 'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"';
    await using server = await startServer({
      authenticate: ({ headers }) =>
        headers.authorization === 'Bearer good' || { status: 401, wwwAuthenticate: challenge },
      onConnection: (transport) => transport.start(),
    });
    const challenges: AuthChallenge[] = [];
    let token = 'bad';
    const auth = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      onChallenge: async (asked: AuthChallenge): Promise<'retry'> => {
        challenges.push(asked);
        if (token === 'none') throw new AuthRequiredError('Sign in.');
        token = 'good';
        return 'retry';
      },
    };
    const { transport } = client(server.url, { auth });
    await transport.start();
    await transport.close();
    expect(challenges).toMatchObject([{ status: 401, wwwAuthenticate: challenge, refused: 'Bearer bad' }]);
    token = 'none';
    expect(await failureOf(client(server.url, { auth }).transport.start())).toBeInstanceOf(AuthRequiredError);
  });

  it('refuses with 401, 403 or 500 as it answers; a challenge cannot break the response apart', async () => {
    const status = (authenticate: WebSocketServerOptions['authenticate']): Promise<number> =>
      statusOf({ authenticate }, {});
    expect(await status(async () => true)).toBe(101);
    expect(await status(() => false)).toBe(401);
    expect(await status(() => ({ status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"' }))).toBe(
      403,
    );
    expect(await status(() => Promise.reject(new Error('database is down')))).toBe(500);
    await using server = await startServer({
      authenticate: () => ({ status: 401, wwwAuthenticate: 'Bearer\r\nSet-Cookie: a=b' }),
    });
    const { headers } = await askForUpgrade(server.port, {});
    expect(headers['set-cookie']).toBeUndefined();
  });

  it.each([undefined, null, 'yes', 1, {}, [], { status: 200 }, { status: undefined }])(
    'refuses everyone to whom it does not say true: %j',
    async (answer) => {
      const answered = answer as unknown as boolean;
      expect(await statusOf({ authenticate: () => answered }, {})).toBe(401);
      expect(await statusOf({ authenticate: async () => answered }, {})).toBe(401);
    },
  );

  it('refuses with 500 if it throws, also if the logger does too', async () => {
    const broken = () => {
      throw new Error('the disk is full');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: async () => broken() };
    expect(await statusOf({ authenticate: broken, logger }, {})).toBe(500);
    expect(await statusOf({ authenticate: () => false, logger: { ...logger, error: broken } }, {})).toBe(401);
  });
});

describe('the log of refusals', () => {
  it('names the first, tenth and hundredth of each kind', async () => {
    const warnings: unknown[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (message: string, fields?: Readonly<Record<string, unknown>>) =>
        void warnings.push([message, fields]),
      error: () => undefined,
    };
    await using server = await startServer({ logger });
    for (let asked = 0; asked < 12; asked++)
      await askForUpgrade(server.port, { Origin: 'https://evil.example' });
    await askForUpgrade(server.port, {});
    expect(warnings).toEqual([
      ['Refused a WebSocket upgrade: The Origin is not allowed.', { status: 403, times: 1 }],
      ['Refused a WebSocket upgrade: The Origin is not allowed.', { status: 403, times: 10 }],
      ['Refused a WebSocket upgrade: The credentials are missing or invalid.', { status: 401, times: 1 }],
    ]);
  });
});

import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loopback, pasteBack, type InteractionSession, type LoopbackOptions } from '@mcp-fittings/auth-oauth';

const SIGN_IN = new URL('https://as.example/authorize?x=1');
const STATE = 'the-state';

/** The errors that would have ended the program of a host. */
const uncaught: unknown[] = [];
const note = (error: unknown): void => void uncaught.push(error);
let previous: NodeJS.UncaughtExceptionListener[] = [];
beforeEach(() => {
  uncaught.length = 0;
  previous = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
});
afterEach(() => {
  process.removeListener('uncaughtException', note);
  process.removeListener('unhandledRejection', note);
  for (const each of previous) process.on('uncaughtException', each);
});

async function started(options: LoopbackOptions = {}) {
  const session = await loopback({ open: async () => undefined, ...options }).begin({ server: 'test' });
  const answer = session.authorize({ url: SIGN_IN, state: STATE });
  answer.catch(() => undefined);
  return { session, answer };
}

/** Sends bytes, and resolves with the response when the connection is closed. */
async function raw(session: InteractionSession, bytes: string | Buffer): Promise<string> {
  const { port } = new URL(session.redirectUri);
  const socket: Socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.end(bytes);
  // A reset is an end too, which `once` of node:events would reject for.
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

/** The person's browser. */
async function visit(uri: string): Promise<string> {
  const [response] = await once(get(uri, { agent: false }), 'response');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return body;
}

const TARGETS = [
  'http://[',
  '/\\',
  '*',
  'http://evil.example:99999/',
  '/%zz',
  '/callback?state=%ff%fe',
  `/callback?state=%E0%A4%A&state=${STATE}x`,
  '/callback%2f',
  '/\u0000',
  'callback',
  'javascript:alert(1)',
  `/${'a'.repeat(10_000)}`,
  `/callback?${'&state='.repeat(2_000)}`,
  '//user:pass@[::1]:0x50/',
];
const METHODS = ['GET', 'POST', 'OPTIONS', 'CONNECT', 'PRI', 'M-SEARCH'];

describe('connections that send no request', () => {
  const flood = async (session: InteractionSession, count: number, bytes: string): Promise<Socket[]> => {
    const { hostname, port } = new URL(session.redirectUri);
    const sockets: Socket[] = [];
    for (let n = 0; n < count; n++) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(bytes);
      sockets.push(socket);
    }
    return sockets;
  };

  it.each<[string, string]>([
    ['nothing', ''],
    ['half a request line', 'GET /callb'],
    ['half of the headers', 'GET /callback HTTP/1.1\r\nHost: x\r\nX-A: '],
  ])('do not keep the browser out, and are bounded: %s', async (_, bytes) => {
    const { session, answer } = await started();
    const sockets = await flood(session, 450, bytes);
    const page = visit(`${session.redirectUri}?code=good&state=${STATE}`);
    expect((await answer).get('code')).toBe('good');
    await session.finish?.('success');
    expect(await page).toContain('You are signed in');
    const isOpen = (socket: Socket): boolean => !socket.destroyed && socket.readyState === 'open';
    await expect.poll(() => sockets.filter(isOpen).length).toBeLessThanOrEqual(200);
    await session[Symbol.asyncDispose]();
    for (const socket of sockets) socket.destroy();
  });

  it('do not end a browser that waits for the outcome', async () => {
    const { session, answer } = await started();
    const page = visit(`${session.redirectUri}?code=good&state=${STATE}`);
    await answer;
    const sockets = await flood(session, 450, '');
    await session.finish?.('success');
    expect(await page).toContain('You are signed in');
    await session[Symbol.asyncDispose]();
    for (const socket of sockets) socket.destroy();
  });
});

describe('no request to the listener ends the program', () => {
  it.each(TARGETS)('the target %j, by every method', async (target) => {
    const { session, answer } = await started();
    const { host } = new URL(session.redirectUri);
    for (const method of METHODS) {
      for (const name of [host, '[', '']) {
        await raw(session, `${method} ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
      }
    }
    expect(uncaught).toEqual([]);
    // The one answer still arrives.
    const page = visit(`${session.redirectUri}?code=good&state=${STATE}`);
    expect((await answer).get('code')).toBe('good');
    await session[Symbol.asyncDispose]();
    expect(await page).toContain('Sign-in failed');
  });

  it.each<[string, (host: string) => string | Buffer]>([
    ['no host', () => 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`],
    [
      'HTTP/1.0 with an upgrade',
      (host) => `GET / HTTP/1.0\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n`,
    ],
    [
      'a WebSocket',
      (host) =>
        `GET /callback HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ['TLS', () => Buffer.from('16030100a5010000a10303', 'hex')],
    ['headers of 1 MB', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['10 000 headers', (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
    [
      'an expectation',
      (host) =>
        `POST /callback HTTP/1.1\r\nHost: ${host}\r\nExpect: 200-maybe\r\nContent-Length: 3\r\n\r\nabc`,
    ],
    [
      'a body that never ends',
      (host) =>
        `POST /callback HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\nabc`,
    ],
    [
      'a smuggled length',
      (host) =>
        `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET //[ HTTP/1.1\r\n\r\n`,
    ],
    [
      'garbage in a pipeline',
      (host) =>
        `GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n${'GET //[ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(50)}\u0000\u0001\r\n\r\n`,
    ],
    ['noise', () => Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 256))],
    [
      'header values that are not text',
      (host) =>
        Buffer.concat([
          Buffer.from(`GET / HTTP/1.1\r\nHost: ${host}\r\nX: `),
          Buffer.from([0xff, 0xfe, 0x80]),
          Buffer.from('\r\n\r\n'),
        ]),
    ],
  ])('%s', async (_, bytes) => {
    const { session, answer } = await started();
    const { host } = new URL(session.redirectUri);
    await raw(session, bytes(host));
    expect(uncaught).toEqual([]);
    const page = visit(`${session.redirectUri}?code=good&state=${STATE}`);
    expect((await answer).get('code')).toBe('good');
    await session[Symbol.asyncDispose]();
    await page;
  });

  it('closes despite a connection that was reset, and one that stays open', async () => {
    const { session } = await started();
    const { port, host } = new URL(session.redirectUri);
    const idle = connect(Number(port), '127.0.0.1');
    const tunnel = connect(Number(port), '127.0.0.1');
    const hasty = connect(Number(port), '127.0.0.1');
    await Promise.all([idle, tunnel, hasty].map(async (socket) => once(socket, 'connect')));
    for (const socket of [idle, tunnel, hasty]) socket.on('error', () => undefined);
    tunnel.write(`CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await once(tunnel, 'data');
    hasty.write('GET //[ HTTP/1.1\r\n');
    hasty.resetAndDestroy();
    await session[Symbol.asyncDispose]();
    idle.destroy();
    tunnel.destroy();
    expect(uncaught).toEqual([]);
  });
});

describe('the redirect URI that was registered', () => {
  it.each<[LoopbackOptions, RegExp]>([
    [{}, /^http:\/\/127\.0\.0\.1:\d+\/callback$/],
    [{ host: 'localhost' }, /^http:\/\/localhost:\d+\/callback$/],
    [{ path: '/oauth/cb' }, /^http:\/\/127\.0\.0\.1:\d+\/oauth\/cb$/],
    [{ host: 'localhost', path: '/' }, /^http:\/\/localhost:\d+\/$/],
  ])('%j', async (options, uri) => {
    const { session, answer } = await started(options);
    expect(session.redirectUri).toMatch(uri);
    const page = visit(`${session.redirectUri}?code=good&state=${STATE}`);
    expect((await answer).get('code')).toBe('good');
    await session.finish?.('success');
    expect(await page).toContain('You are signed in');
    await session[Symbol.asyncDispose]();
  });

  it.runIf(hasIpv6())('[::1], and localhost in both families', async () => {
    for (const host of ['[::1]', 'localhost'] as const) {
      const { session, answer } = await started({ host });
      const { port } = new URL(session.redirectUri);
      const request = get({
        host: '::1',
        port,
        path: `/callback?code=good&state=${STATE}`,
        headers: { host: `${host}:${port}` },
        agent: false,
      });
      request.on('error', () => undefined);
      expect((await answer).get('code')).toBe('good');
      await session[Symbol.asyncDispose]();
    }
    const blocker = createServer().listen(0, '::1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const callbackPort = typeof address === 'object' ? address?.port : undefined;
    const begin = loopback({ host: 'localhost' }).begin({ server: 'test', callbackPort });
    await expect(begin).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    blocker.close();
  });

  it('the entry takes precedence over the options of the interaction, for both interactions', async () => {
    const request = { server: 'test', callbackHost: 'localhost', callbackPath: '/done' } as const;
    for (const interaction of [loopback({ path: '/x' }), pasteBack({ ask: async () => '', path: '/x' })]) {
      const session = await interaction.begin(request);
      expect(new URL(session.redirectUri)).toMatchObject({ hostname: 'localhost', pathname: '/done' });
      await session[Symbol.asyncDispose]();
    }
  });

  it.each(['callback', '/a b', '/a?b', '/a#b', '/../x', ''])(
    'the path %j is a mistake of the configuration',
    (path) => {
      expect(() => loopback({ path })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});

describe('functions of the host that fail', () => {
  it('"open" that throws is a typed error, like one that rejects', async () => {
    const { session, answer } = await started({
      open() {
        throw new Error('no browser');
      },
    });
    await expect(answer).rejects.toMatchObject({ code: 'AUTH_FAILED', cause: { message: 'no browser' } });
    await session[Symbol.asyncDispose]();
  });

  it('accepts an "open" that returns nothing', async () => {
    const options: LoopbackOptions = Object.fromEntries([['open', () => undefined]]);
    const { session, answer } = await started(options);
    void visit(`${session.redirectUri}?code=good&state=${STATE}`).catch(() => undefined);
    expect((await answer).get('code')).toBe('good');
    await session[Symbol.asyncDispose]();
  });

  it('names an "onUrl" that throws', async () => {
    const { session, answer } = await started({
      onUrl() {
        throw new Error('of the host');
      },
    });
    await expect(answer).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      cause: { message: 'of the host' },
    });
    await session[Symbol.asyncDispose]();
  });

  it('paste-back asks again if "ask" does not return a string', async () => {
    const answers: unknown[] = [
      undefined,
      5,
      { url: 'x' },
      `http://127.0.0.1/callback?code=good&state=${STATE}`,
    ];
    const ask: Parameters<typeof pasteBack>[0] = Object.assign(
      { ask: async () => '' },
      { ask: () => answers.shift() },
    );
    const session = await pasteBack(ask).begin({ server: 'test' });
    expect((await session.authorize({ url: SIGN_IN, state: STATE })).get('code')).toBe('good');
  });
});

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'));
}

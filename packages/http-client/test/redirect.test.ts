import { describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../src/index.js';
import { startHttp, type TestServer } from './support/http-server.js';
import { record } from './support/recorder.js';
import { request } from './support/request.js';

const networkFor = (server: TestServer, options: Partial<HttpClientOptions> = {}): HttpClient =>
  createHttpClient({ url: server.origin, headers: { 'x-key': 'canary' }, ...options });

describe('a redirect inside the origin', () => {
  it.each([
    [301, 'POST', 'POST', 'body'],
    [302, 'POST', 'POST', 'body'],
    [303, 'POST', 'GET', ''],
    [307, 'POST', 'POST', 'body'],
    [308, 'POST', 'POST', 'body'],
    [302, 'GET', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [303, 'DELETE', 'GET', ''],
  ])('%i on %s is followed as %s', async (status, method, nextMethod, nextBody) => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/from') response.writeHead(status, { location: 'to/there?q=1#part' }).end('moved');
      else response.end('here');
    });
    await using network = networkFor(server);
    const body = method === 'POST' ? 'body' : undefined;
    const reply = await request(network, { url: new URL('/from', server.origin), method, body });
    expect(reply.status).toBe(200);
    expect(reply.url.href).toBe(`${server.origin}/to/there?q=1`);
    expect(server.seen[1]).toMatchObject({ method: nextMethod, url: '/to/there?q=1', body: nextBody });
    expect(server.seen[1]?.headers['x-key']).toBe('canary');
  });

  it('without a place to go is an answer like any other, and so is one that was not to be followed', async () => {
    await using server = await startHttp((request, response) => {
      response.writeHead(307, request.url === '/bare' ? {} : { location: '/to' }).end('body');
    });
    await using network = networkFor(server);
    const bare = await request(network, { url: new URL('/bare', server.origin), method: 'GET' });
    expect([bare.status, bare.text()]).toEqual([307, 'body']);
    const never = await request(network, {
      url: new URL('/x', server.origin),
      method: 'GET',
      redirect: 'never',
    });
    expect([never.status, never.header('location')]).toEqual([307, '/to']);
    expect(server.seen).toHaveLength(2);
  });

  it('is followed five times and no more', async () => {
    await using server = await startHttp((request, response) => {
      response.writeHead(307, { location: `/${Number(request.url.slice(1)) + 1}` }).end();
    });
    await using network = networkFor(server);
    await expect(
      request(network, { url: new URL('/0', server.origin), method: 'GET' }),
    ).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
    });
    expect(server.seen).toHaveLength(6);
  });

  it('is followed though its own body never ends', async () => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/to') {
        response.end('here');
        return;
      }
      response.writeHead(307, { location: '/to' });
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    await using network = networkFor(server);
    const seen = record(network, { url: new URL('/from', server.origin), method: 'GET' });
    await seen.settled;
    expect(seen.text).toBe('here');
  });
});

describe("a redirect with `redirect: 'same-method'`", () => {
  it.each([
    [303, false],
    [302, true],
    [307, true],
  ])('%i: followed is %s, and no message becomes a GET', async (status, followed) => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/from') response.writeHead(status, { location: '/to' }).end();
      else response.end('here');
    });
    await using network = networkFor(server);
    const url = new URL('/from', server.origin);
    const reply = request(network, { url, method: 'POST', body: '{}', redirect: 'same-method' });
    if (followed) expect((await reply).text()).toBe('here');
    else await expect(reply).rejects.toMatchObject({ code: 'REDIRECT_REFUSED', delivery: 'unknown' });
    expect(server.seen.map(({ method }) => method)).toEqual(followed ? ['POST', 'POST'] : ['POST']);
  });
});

describe('a redirect to another origin', () => {
  it.each([302, 303])('%i is refused, and nothing is sent to the target', async (status) => {
    await using other = await startHttp((_, response) => response.end('stolen'));
    await using server = await startHttp((_, response) => {
      response.writeHead(status, { location: `${other.origin}/take?secret=1` }).end();
    });
    await using network = networkFor(server);
    const headers = { authorization: 'Bearer canary', 'mcp-session-id': 'canary' };
    const refused = request(network, {
      url: new URL(server.origin),
      method: 'POST',
      headers,
      body: 'canary',
    });
    await expect(refused).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
      delivery: status === 303 ? 'unknown' : 'rejected',
      details: { url: server.origin, target: other.origin },
      message: expect.stringContaining(other.origin) as unknown,
    });
    await expect(refused).rejects.not.toThrow(/canary|secret/);
    expect(other.connections).toBe(0);
  });

  it.each([
    ['another scheme', (origin: string) => origin.replace('http:', 'https:')],
    ['another port', () => 'http://127.0.0.1:1/'],
    ['another name of the same machine', (origin: string) => origin.replace('127.0.0.1', 'localhost')],
    ['no network at all', () => 'file:///etc/passwd'],
    ['a script', () => 'javascript:alert(1)'],
    ['userinfo that looks like the origin', () => 'http://127.0.0.1@evil.test/'],
    ['a scheme-relative place', () => '//evil.test/'],
    ['a backslash place', () => '\\\\evil.test\\'],
  ])('is %s', async (_, target) => {
    await using server = await startHttp((request, response) => {
      if (request.url === '/from') response.writeHead(302, { location: target(server.origin) }).end();
      else response.end();
    });
    await using network = networkFor(server);
    await expect(
      request(network, { url: new URL('/from', server.origin), method: 'GET' }),
    ).rejects.toMatchObject({
      code: 'REDIRECT_REFUSED',
    });
    expect(server.seen).toHaveLength(1);
  });
});

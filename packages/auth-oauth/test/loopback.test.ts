import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { loopback, type InteractionSession, type LoopbackOptions } from '@mcp-fittings/auth-oauth';

const SIGN_IN = new URL('https://as.example/authorize?x=1');

async function started(options: LoopbackOptions = {}, server = 'test') {
  const opened: URL[] = [];
  const interaction = loopback({ open: async (url) => void opened.push(url), ...options });
  const session = await interaction.begin({ server });
  const answer = session.authorize({ url: SIGN_IN, state: 'the-state' });
  answer.catch(() => undefined);
  return { session, answer, opened };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Not `fetch`, which does not allow to set Host. */
async function knock(
  session: InteractionSession,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { hostname, port } = new URL(session.redirectUri);
  const request = httpRequest({ hostname, port, path, method, headers, agent: false });
  request.end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

describe('the loopback interaction', () => {
  it('accepts one redirect, and shows the outcome when it is known', async () => {
    const { session, answer, opened } = await started();
    expect(session.redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const page = knock(session, '/callback?code=abc&state=the-state');
    expect((await answer).get('code')).toBe('abc');
    expect(opened).toEqual([SIGN_IN]);
    await session.finish?.('success');
    const { status, body, headers } = await page;
    expect(status).toBe(200);
    expect(body).toContain('You are signed in');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['cache-control']).toBe('no-store');
    await session[Symbol.asyncDispose]();
  });

  it.each([
    ['without state', '/callback?code=evil', {}, 400],
    ['wrong state', '/callback?code=evil&state=other', {}, 400],
    ['repeated state', '/callback?code=evil&state=the-state&state=the-state', {}, 400],
    ['wrong path', '/other?code=evil&state=the-state', {}, 404],
    ['HEAD', '/callback?code=evil&state=the-state', { method: 'HEAD' }, 405],
    ['POST', '/callback?code=evil&state=the-state', { method: 'POST' }, 405],
    ['foreign Host', '/callback?code=evil&state=the-state', { headers: { host: 'evil.example' } }, 403],
    [
      'foreign Origin',
      '/callback?code=evil&state=the-state',
      { headers: { origin: 'https://evil.example' } },
      403,
    ],
    ['opaque Origin', '/callback?code=evil&state=the-state', { headers: { origin: 'null' } }, 403],
    [
      'a script',
      '/callback?code=evil&state=the-state',
      { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' } },
      403,
    ],
    [
      'a frame',
      '/callback?code=evil&state=the-state',
      { headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' } },
      403,
    ],
    ['prefetch', '/callback?code=evil&state=the-state', { headers: { 'sec-purpose': 'prefetch' } }, 403],
    [
      'a target that is not a path',
      'http://evil.example/callback?code=evil&state=the-state',
      { headers: { host: 'evil.example' } },
      403,
    ],
    ['an absurd length', `/callback?error_description=${'x'.repeat(1_000_000)}`, {}, 431],
  ])('%s changes nothing, and the real answer still arrives', async (_, path, init, status) => {
    const { session, answer } = await started();
    expect(await Promise.race([knock(session, path, init), answer])).toMatchObject({ status });
    void knock(session, '/callback?code=good&state=the-state').catch(() => undefined);
    expect((await answer).get('code')).toBe('good');
    await session[Symbol.asyncDispose]();
  });

  it('a second answer after the first gets a 4xx page and is ignored', async () => {
    const { session, answer } = await started();
    const first = knock(session, '/callback?code=one&state=the-state');
    expect((await answer).get('code')).toBe('one');
    const second = await knock(session, '/callback?code=two&state=the-state');
    expect(second.status).toBe(410);
    await session.finish?.('success');
    expect((await first).body).toContain('You are signed in');
    await session[Symbol.asyncDispose]();
  });

  it('shows no text of the request, and escapes the name of the server', async () => {
    const { session, answer } = await started({}, '<img src=x onerror=alert(1)>"&');
    const evil = encodeURIComponent('<script>alert(1)</script>\u001b[31m');
    const page = knock(session, `/callback?error=access_denied&error_description=${evil}&state=the-state`);
    await answer;
    await session.finish?.('failure');
    const { body } = await page;
    expect(body).not.toMatch(/<script|<img|alert\(1\)</);
    expect(body).not.toContain('\u001b');
    expect(body).toContain('&lt;img src=x');
    await session[Symbol.asyncDispose]();
  });

  it('times out, by the injected clock', async () => {
    const clock = createManualClock();
    const { session, answer } = await started({ clock, timeoutMs: 5000 });
    await clock.advance(5000);
    await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT', server: 'test' });
    expect(clock.pending).toBe(0);
    await session[Symbol.asyncDispose]();
  });

  it('can be aborted, and opens nothing if it already was', async () => {
    const cancel = new AbortController();
    const opened: URL[] = [];
    const interaction = loopback({ open: async (url) => void opened.push(url) });
    const session = await interaction.begin({ server: 'test', signal: cancel.signal });
    const answer = session.authorize({ url: SIGN_IN, state: 's' });
    cancel.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(session.authorize({ url: SIGN_IN, state: 's' })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(opened).toHaveLength(1);
    await session[Symbol.asyncDispose]();
  });

  it('fails if the browser cannot be opened, unless the host shows the link', async () => {
    const open = async (): Promise<void> => {
      throw new Error('no browser');
    };
    const { session, answer } = await started({ open });
    await expect(answer).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await session[Symbol.asyncDispose]();

    const links: string[] = [];
    const patient = await started({ open, onUrl: ({ url }) => links.push(url.href) });
    void knock(patient.session, '/callback?code=good&state=the-state').catch(() => undefined);
    expect((await patient.answer).get('code')).toBe('good');
    expect(links).toEqual([SIGN_IN.href]);
    await patient.session[Symbol.asyncDispose]();
  });

  it('reports that a fixed port is in use, and uses another one if it was only preferred', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(loopback().begin({ server: 'test', callbackPort: port })).rejects.toMatchObject({
      code: 'AUTH_FAILED',
    });
    const session = await loopback().begin({ server: 'test', preferredPort: port });
    expect(new URL(session.redirectUri).port).not.toBe(String(port));
    await session[Symbol.asyncDispose]();
    blocker.close();
    await once(blocker, 'close');
    const again = await loopback().begin({ server: 'test', preferredPort: port });
    expect(new URL(again.redirectUri).port).toBe(String(port));
    await again[Symbol.asyncDispose]();
  });
});

import { createManualClock } from '@mcp-fittings/testkit/clock';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createExposure } from '../../src/catalog/exposure.js';
import type { Access } from '../../src/contracts/access.js';
import type { Caller } from '../../src/contracts/caller.js';
import type { GatewayStatus } from '../../src/status/gateway-status.js';
import { createStatusPage, type StatusPageOptions } from '../../src/status/status-page.js';
import { callTool, guardedUrl, hostOf, toolServer } from '../support/status-servers.js';

const ORIGIN = 'http://127.0.0.1:8080';

/** Knows each caller by a token, as long as the token is in the map. */
function tokens(callers: Map<string, Caller>): Access {
  return {
    async authenticate(request) {
      const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
      const caller = callers.get(token);
      if (caller !== undefined) return { caller };
      return {
        refusal: new Response('No.', {
          status: 401,
          headers: { 'www-authenticate': 'Bearer realm="gateway"' },
        }),
      };
    },
  };
}

async function pageOf(
  host: StatusPageOptions['host'],
  callers = new Map<string, Caller>([['token-of-ann', { id: 'ann' }]]),
  options: Partial<StatusPageOptions> = {},
) {
  const exposure = createExposure({ host });
  const serves: StatusPageOptions['serves'] = (caller, mount) =>
    exposure.hasServer({ caller, mount }, mount.server ?? '');
  const page = createStatusPage({ host, serves, clock: systemClock, ...options });
  const access = tokens(callers);
  onTestFinished(() => page[Symbol.dispose]());
  const send = async (path: string, init: RequestInit = {}, origin = ORIGIN): Promise<Response> => {
    const response = await page.respond(new Request(`${origin}${path}`, init), (asked) =>
      access.authenticate(asked),
    );
    if (response === undefined) throw new Error(`nothing at ${path}`);
    return response;
  };
  const get = (path: string, token = 'token-of-ann') =>
    send(path, { headers: { authorization: `Bearer ${token}` } });
  const status = async (token?: string) => (await (await get('/status', token)).json()) as GatewayStatus;
  const signIn = (token: string, headers: Record<string, string> = {}, origin = ORIGIN) =>
    send(
      '/status/sign-in',
      { method: 'POST', body: new URLSearchParams({ token }), headers: { origin, ...headers } },
      origin,
    );
  return { page, send, get, status, signIn, callers };
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

describe('what the page shows', () => {
  it('states with their reasons, counts, latency and errors of real servers', async () => {
    const host = await hostOf(
      { notes: () => toolServer({ read: 'a note', fail: new Error('It fell over.') }) },
      {
        broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] },
        mail: { type: 'http', url: await guardedUrl() },
        off: { command: 'never', disabled: true },
      },
    );
    const { page, status } = await pageOf(host, undefined, { version: '1.0.0' });
    await callTool(host, page.observe, { id: 'ann' }, { server: 'notes', tool: 'read' });
    await callTool(host, page.observe, { id: 'ann' }, { server: 'notes', tool: 'fail' });

    const shown = await status();
    expect(shown.version).toBe('1.0.0');
    expect(shown.servers.map(({ name, state }) => [name, state.status, state.code])).toEqual([
      ['notes', 'connected', undefined],
      ['broken', 'failed', expect.any(String)],
      ['mail', 'needs-auth', 'AUTH_REQUIRED'],
      ['off', 'disabled', undefined],
    ]);
    const [notes, broken] = shown.servers;
    expect(notes).toMatchObject({
      type: 'sdk',
      program: 'tool-server 1.2.3',
      counts: { tools: 2, prompts: 0 },
      requests: { count: 2, failed: 1 },
    });
    expect(notes?.requests.buckets.reduce((sum, count) => sum + count)).toBe(2);
    expect(notes?.requests.buckets).toHaveLength(shown.latencyBoundsMs.length + 1);
    expect(broken?.state.reason).toMatch(/\w/);
    expect(shown.errors).toMatchObject([
      { server: 'notes', code: 'RPC_ERROR', method: 'tools/call', target: 'fail' },
    ]);
    expect(shown.errors[0]?.message).toContain('It fell over.');
  });

  it('no caller sees servers that it may not use, nor requests and errors of another caller', async () => {
    const host = await hostOf({
      notes: () => toolServer({ read: 'a note', write: 'ok', fail: new Error('Of ann.') }),
      secret: () => toolServer({ fail: new Error('Of ann, too.') }),
    });
    const ann: Caller = { id: 'ann' };
    const bob: Caller = { id: 'bob', allows: (server, tool) => server === 'notes' && tool !== 'write' };
    const { page, status } = await pageOf(
      host,
      new Map([
        ['a', ann],
        ['b', bob],
      ]),
    );
    await callTool(host, page.observe, ann, { server: 'notes', tool: 'fail' });
    await callTool(host, page.observe, ann, { server: 'secret', tool: 'fail' });
    await callTool(host, page.observe, bob, { server: 'notes', tool: 'read' });

    const [ofAnn, ofBob] = [await status('a'), await status('b')];
    expect(ofAnn.servers.map(({ name, requests }) => [name, requests.count])).toEqual([
      ['notes', 1],
      ['secret', 1],
    ]);
    expect(ofAnn.errors).toHaveLength(2);
    expect(ofBob.servers.map(({ name, requests, counts }) => [name, requests.count, counts.tools])).toEqual([
      ['notes', 1, 2],
    ]);
    expect(ofBob.errors).toEqual([]);
    expect(JSON.stringify(ofBob)).not.toMatch(/secret|Of ann/);
  });

  it('a person sees the state and the failures of their own connections', async () => {
    const host = await hostOf({ notes: () => toolServer({ read: 'a note' }) }, {}, { principal: 'host' });
    await host.connect({ broken: { command: process.execPath, args: ['-e', 'process.exit(3)'] } });
    const { page, status } = await pageOf(
      host,
      new Map<string, Caller>([
        ['a', { id: '1', principal: 'ann' }],
        ['b', { id: '2', principal: 'bob' }],
      ]),
    );
    await callTool(host, page.observe, { id: '1', principal: 'ann' }, { server: 'notes', tool: 'read' });
    await host.start('broken', { principal: 'ann' }).catch(() => undefined);
    const states = async (token: string) => (await status(token)).servers.map(({ state }) => state.status);
    expect(await states('a')).toEqual(['connected', 'failed']);
    expect(await states('b')).toEqual(['disconnected', 'disconnected']);
    expect((await status('a')).errors).toMatchObject([{ server: 'broken' }]);
    expect((await status('b')).errors).toEqual([]);
  });

  it('no secret of an entry is in any of the responses, also if a server repeats it', async () => {
    const secrets = {
      env: 'sk-env-0123456789',
      header: 'header-0123456789',
      flag: 'flag-0123456789',
      assigned: 'assigned-0123456789',
      auth: 'abc-0123456789',
      pwd: 'def-0123456789',
      key: 'ghi-0123456789',
      password: 'password-0123456789',
      query: 'query-0123456789',
      echoed: 'echoed-0123456789',
    };
    const all = Object.values(secrets).join(' ');
    const noHandshake = toolServer({});
    noHandshake.setRequestHandler('initialize', () => {
      throw new Error(`Refused: ${secrets.echoed} ${'x'.repeat(10_000)}`);
    });
    const host = await hostOf(
      { echo: () => noHandshake },
      {
        local: {
          command: process.execPath,
          args: [
            '-e',
            'console.error(process.env.API_TOKEN); process.exit(3)',
            '--',
            '--token',
            secrets.flag,
            `--api-key=${secrets.assigned}`,
            '--auth',
            secrets.auth,
            `--pwd=${secrets.pwd}`,
            `--key=${secrets.key}`,
          ],
          env: { API_TOKEN: secrets.env },
        },
        remote: {
          type: 'http',
          url: `http://user:${secrets.password}@127.0.0.1:9/mcp?code=${secrets.query}`,
          headers: { 'x-api-key': secrets.header },
        },
      },
    );
    await host.remove('echo');
    await host.connect({ echo: { type: 'sdk', env: { API_TOKEN: secrets.echoed } } });
    const { page, get, status } = await pageOf(host);
    const { FittingsError } = await import('@mcp-fittings/client-core');
    for (const server of ['local', 'remote']) {
      const error = new FittingsError('RPC_ERROR', `Refused: ${all} ${encodeURIComponent(all)}`, { server });
      page.observe({
        caller: { id: 'ann' },
        server,
        method: 'tools/call',
        target: 'x',
        durationMs: 1,
        error,
      });
    }
    const shown = await status();
    const of = (server: string) =>
      shown.errors.find((error) => error.server === server && error.method !== undefined)?.message;
    for (const [server, own] of [
      ['local', [secrets.env, secrets.flag, secrets.assigned, secrets.auth, secrets.pwd, secrets.key]],
      ['remote', [secrets.header, secrets.password, secrets.query]],
    ] as const) {
      expect(of(server)).toContain('[redacted]');
      for (const secret of own) expect(of(server)).not.toContain(secret);
    }
    const echo = shown.servers.find(({ name }) => name === 'echo');
    expect(echo?.state.reason).toContain('Refused: [redacted] xxx');
    expect(echo?.state.reason?.length).toBeLessThan(540);
    // What was not made up by this test has none at all.
    const { errors: _errors, ...rest } = shown;
    for (const text of [
      JSON.stringify(rest),
      await (await get('/')).text(),
      JSON.stringify(host.servers()),
    ]) {
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
    }
    expect(shown.errors.length).toBeGreaterThan(0);
  });

  it('text of a server is bounded, and cannot change its direction', async () => {
    const hostile = `\u202eevil\u2066\u0000\u001b[31m${'x'.repeat(100_000)}`;
    const host = await hostOf({
      notes: () => toolServer({ fail: new Error(hostile) }, { name: hostile, version: hostile }),
    });
    const script = 'process.stderr.write("\\u202egone\\nsecond".padEnd(5000, "x")); process.exit(3)';
    await host.connect({ broken: { command: process.execPath, args: ['-e', script] } });
    const { page, status } = await pageOf(host);
    await callTool(host, page.observe, { id: 'ann' }, { server: 'notes', tool: 'fail' });
    const text = JSON.stringify(await status());
    expect(text).toContain(String.raw`\\u{202e}evil`);
    expect(text).not.toMatch(/[\u202e\u2066]/);
    expect(text.length).toBeLessThan(4000);
  });
});

describe('who reads it', () => {
  it('a token in the header is enough; without one there is a form, and no data', async () => {
    const { send, get } = await pageOf(await hostOf({ notes: () => toolServer({}) }));
    expect((await get('/')).status).toBe(200);
    const form = await send('/');
    expect([form.status, form.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="gateway"']);
    expect(await form.text()).toContain('action="/status/sign-in"');
    expect((await send('/status')).status).toBe(401);
    expect((await send('/', { method: 'POST' })).status).toBe(405);
  });

  it('the form gives a cookie that scripts and other sites cannot use, and that is not the token', async () => {
    const { send, signIn } = await pageOf(await hostOf({}));
    const response = await signIn('token-of-ann');
    expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^mcp-gateway-status=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    );
    const headers = { cookie: cookieOf(response) };
    expect((await send('/status', { headers })).status).toBe(200);
    expect(await (await send('/', { headers })).text()).toContain('Sign out');

    const elsewhere = await signIn('token-of-ann', {}, 'https://mcp.example.com');
    expect(elsewhere.headers.get('set-cookie')).toMatch(/^__Host-mcp-gateway-status=.*; Secure$/);
    // A proxy ends TLS before it.
    const behind = await signIn(
      'token-of-ann',
      { origin: 'https://mcp.example.com' },
      'http://mcp.example.com',
    );
    expect(behind.headers.get('set-cookie')).toMatch(/^__Host-.*; Secure$/);
  });

  it('the session ends with the token, with its time, and when the user signs out', async () => {
    const clock = createManualClock({ now: 1_000_000 });
    const { send, signIn, callers } = await pageOf(await hostOf({}), undefined, { clock });
    const ann = callers.get('token-of-ann') ?? { id: '' };
    const [one, other] = [await signIn('token-of-ann'), await signIn('token-of-ann')].map((response) => ({
      headers: { cookie: cookieOf(response) },
    }));
    const statusOf = async (init: RequestInit | undefined) => (await send('/status', init)).status;
    expect([await statusOf(one), await statusOf(other)]).toEqual([200, 200]);
    callers.delete('token-of-ann');
    expect(await statusOf(one)).toBe(401);
    callers.set('token-of-ann', ann);
    expect(await statusOf(one)).toBe(200);

    const foreign = { headers: { ...one?.headers, origin: 'https://evil.example' } };
    expect((await send('/status/sign-out', { method: 'POST', ...foreign })).status).toBe(403);
    expect(await statusOf(one)).toBe(200);
    const out = await send('/status/sign-out', { method: 'POST', ...one });
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
    await clock.advance(28_800_000);
    expect(await statusOf(other)).toBe(401);
  });

  it('sessions are bounded, and another site cannot sign a browser in', async () => {
    const clock = createManualClock({ now: 1_000_000 });
    const { send, signIn } = await pageOf(await hostOf({}), undefined, { clock, maxSessions: 2 });
    const foreign = await signIn('token-of-ann', { origin: 'https://evil.example' });
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await signIn('token-of-ann', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await signIn('token-of-ann', { origin: 'null' })).status).toBe(403);

    const all: RequestInit[] = [];
    for (let n = 0; n < 3; n++) all.push({ headers: { cookie: cookieOf(await signIn('token-of-ann')) } });
    const alive = await Promise.all(all.map(async (init) => (await send('/status', init)).status));
    expect(alive).toEqual([401, 200, 200]);

    const wrong = await signIn('wrong');
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await wrong.text()).toContain('does not accept this token');
    expect((await signIn('<script>')).status).toBe(400);
  });

  it('wrong tokens and foreign forms of anyone keep no one with a token out', async () => {
    const { send, signIn } = await pageOf(await hostOf({}), undefined, { clock: createManualClock() });
    const before = { headers: { cookie: cookieOf(await signIn('token-of-ann')) } };
    const wrong = ['wrong', '<script>', '', 'token-of-anna'];
    for (let n = 0; n < 200; n++) {
      // oxlint-disable-next-line no-await-in-loop -- as many attempts as it takes, one after the other
      expect((await signIn(wrong[n % wrong.length] ?? '')).status).toBeOneOf([400, 401]);
    }
    expect((await signIn('wrong', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await signIn('token-of-ann')).status).toBe(303);
    expect((await send('/status', before)).status).toBe(200);
  });

  it('reads a form of a bounded size', async () => {
    const { send, signIn } = await pageOf(await hostOf({}));
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new TextEncoder().encode('token='.padEnd(10_000, 'x')));
      },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN };
    const init = { method: 'POST', body, headers, duplex: 'half' } as const;
    expect((await send('/status/sign-in', init)).status).toBe(400);
    expect(pulled).toBeLessThan(12);
    expect((await signIn('token-of-ann')).status).toBe(303);
  });

  it('every response forbids scripts of others, frames and caching', async () => {
    const { get, send } = await pageOf(await hostOf({}));
    const responses = [
      await get('/'),
      await send('/'),
      await get('/status'),
      await get('/status/page.js'),
      await get('/status/page.css'),
    ];
    for (const { headers } of responses) {
      expect(headers.get('content-security-policy') ?? 'refused').toMatch(
        /^default-src 'none'; script-src 'self'; |^refused$/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
    expect(await (await get('/')).text()).not.toMatch(/<script>|style=|\son\w+=/);
  });
});

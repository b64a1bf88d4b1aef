import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import type { OAuthProviderOptions } from '@mcp-fittings/auth-oauth';
import { demandPushedRequests, startFalseServer, type FalseServer } from './support/false-server.js';
import { scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

/** What a server answers that is not an authorization server. */
const HTML = { headers: { 'content-type': 'text/html' }, body: '<html>' };

describe('hostile and broken authorization servers', () => {
  let server: FalseServer;
  let person: ScriptedSignIn;
  beforeEach(async () => {
    server = await startFalseServer();
    person = scriptSignIn(server);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const challenge = (wwwAuthenticate?: string, refused?: string) =>
    ({ url: new URL(server.url), status: 401, wwwAuthenticate, refused }) as const;
  const refusal = () => challenge(undefined, 'Bearer good');
  const request = () => ({ url: new URL(server.url), method: 'GET' });
  const signIn = (options?: Partial<OAuthProviderOptions>): Promise<unknown> => person.signIn(options);
  const signInAfter = (wwwAuthenticate: string, options?: Partial<OAuthProviderOptions>): Promise<unknown> =>
    Promise.resolve(person.provider(options).signIn?.({ challenge: challenge(wwwAuthenticate) })).then(
      () => 'signed in',
      (error: unknown) => error,
    );
  const asked = (path: string): number => server.asked.filter(({ line }) => line.endsWith(` ${path}`)).length;

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://evil.example/a',
    'https://u:p@evil.example/',
  ])('authorization_endpoint %s is refused before anything is opened', async (authorization_endpoint) => {
    server.describe({ issuer: { authorization_endpoint } });
    expect(await signIn()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(person.opened).toEqual([]);
  });

  it.each(['https://evil.example/prm', 'file:///etc/passwd', 'nonsense'])(
    'resource_metadata %s is not read, the well-known place is',
    async (url) => {
      expect(await signInAfter(`Bearer resource_metadata="${url}"`)).toBe('signed in');
      expect(asked('/.well-known/oauth-protected-resource/api')).toBe(1);
    },
  );

  it('reads resource_metadata elsewhere on the same origin, also in the next process', async () => {
    const body = { resource: server.url, authorization_servers: [`${server.origin}/tenant`] };
    server.answers.set('/elsewhere', { body });
    const document = server.documentAt('/.well-known/oauth-authorization-server');
    server.answers.delete('/.well-known/oauth-authorization-server');
    server.answers.delete('/.well-known/oauth-protected-resource/api');
    server.answers.set('/.well-known/oauth-authorization-server/tenant', {
      body: { ...document, issuer: `${server.origin}/tenant` },
    });
    server.answers.set('/token', {
      body: { access_token: 'a', token_type: 'Bearer', refresh_token: 'r', expires_in: 3600 },
    });
    const store = memoryStore();
    const named = `Bearer resource_metadata="${server.origin}/elsewhere"`;
    expect(await signInAfter(named, { store })).toBe('signed in');
    const later = { ...systemClock, now: () => Date.now() + 3_590_000 };
    await person.provider({ store, clock: later }).headers(request());
    expect(server.asked.at(-1)?.body).toContain('grant_type=refresh_token');
  });

  it('blocks the endpoints of an authorization server, and the server itself, at private addresses', async () => {
    const allowedEndpointOrigins = ['https://[64:ff9b::a00:1]'];
    for (const name of ['token_endpoint', 'registration_endpoint']) {
      server.describe({ issuer: { [name]: 'https://[64:ff9b::a00:1]/x' } });
      expect(await signIn({ allowedEndpointOrigins }), name).toMatchObject({ code: 'ADDRESS_BLOCKED' });
    }
    const opened = person.opened.length;
    server.describe({ resource: { authorization_servers: ['https://169.254.169.254'] } });
    expect(await signIn()).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      message: expect.stringContaining('169.254.169.254'),
      cause: { code: 'ADDRESS_BLOCKED' },
    });
    expect(person.opened).toHaveLength(opened);
  });

  it('does not follow redirects of discovery and of the token endpoint', async () => {
    server.answers.set('/.well-known/oauth-authorization-server', {
      status: 302,
      headers: { location: '/evil' },
    });
    expect(await signIn()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    server.describe();
    server.answers.set('/token', { status: 307, headers: { location: '/evil' } });
    expect(await signIn()).toMatchObject({
      code: 'REDIRECT_REFUSED',
      message: expect.stringContaining('redirects to another URL of its own'),
    });
    server.answers.set('/token', { status: 307, headers: { location: 'https://evil.example/x' } });
    // D11: no message of the library about an invalid response.
    expect(await signIn()).toMatchObject({
      code: 'REDIRECT_REFUSED',
      message: `${server.origin} redirects to https://evil.example; redirects are not followed during sign-in.`,
    });
    expect(asked('/evil')).toBe(0);
  });

  it.each([[undefined], [['plain']], [[]]])(
    'PKCE methods %j are refused, unless a person allows it',
    async (methods) => {
      server.describe({ issuer: { code_challenge_methods_supported: methods } });
      expect(await signIn()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
      expect(person.opened).toEqual([]);
      expect(await signIn({ allowMissingPkceSupport: true })).toBe('signed in');
    },
  );

  it('RFC 9126 required pushed requests without an endpoint, or refused ones, fail before the browser opens', async () => {
    server.describe({ issuer: { require_pushed_authorization_requests: true } });
    expect(await signIn()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    demandPushedRequests(server, {
      status: 400,
      body: { error: 'invalid_request', error_description: '\u001b[31mno' },
    });
    const refusal = await signIn();
    expect(refusal).toMatchObject({ code: 'AUTH_FAILED', details: { oauthError: 'invalid_request' } });
    expect(String(refusal)).not.toContain('\u001b');
    expect(person.opened).toEqual([]);
  });

  it.each([
    ['advertised and missing', true, undefined, false],
    ['advertised and wrong', true, 'https://evil.example', false],
    ['advertised and right', true, '', true],
    ['not advertised and right', false, '', true],
    ['not advertised and wrong', false, 'https://evil.example', false],
    ['not advertised and absent', false, undefined, true],
  ])('iss %s', async (_, advertised, iss, accepted) => {
    server.describe({ issuer: { authorization_response_iss_parameter_supported: advertised } });
    const named = iss?.startsWith('http') === true ? iss : `${server.origin}${iss}`;
    const suffix = iss === undefined ? '' : `&iss=${encodeURIComponent(named)}`;
    person.answer = (state) => `code=abc&state=${state}${suffix}`;
    const outcome = await signIn();
    if (accepted) expect(outcome).toBe('signed in');
    else expect(outcome).toMatchObject({ code: 'AUTH_FAILED' });
    expect(asked('/token')).toBe(accepted ? 1 : 0);
    // The text of an error of another server is not shown.
    person.answer = (state) => `error=canary&error_description=canary&state=${state}${suffix}`;
    const failure = await signIn();
    expect(failure).toMatchObject({ code: 'AUTH_FAILED' });
    if (!accepted) expect(inspect(failure)).not.toContain('canary');
  });

  it.each([
    ['no code and no error', 'x=1'],
    ['two codes', 'code=a&code=b'],
    ['a code and an error', 'code=a&error=b'],
  ])('a redirect with %s is a typed error', async (_, parameters) => {
    person.answer = (state) => `${parameters}&state=${state}`;
    expect(await signIn()).toMatchObject({
      code: 'AUTH_FAILED',
      message: expect.stringContaining('one "code" or one "error"'),
    });
    expect(asked('/token')).toBe(0);
  });

  it.each([
    ['no token_type', { access_token: 'a' }],
    ['null as its token_type', { access_token: 'a', token_type: null }],
    ['null as the token', { access_token: null, token_type: 'Bearer' }],
    ['mac', { access_token: 'a', token_type: 'mac' }],
    ['an empty token', { access_token: '', token_type: 'Bearer' }],
    ['CR/LF in the token', { access_token: 'a\r\nx: y', token_type: 'Bearer' }],
    ['CR/LF in the refresh token', { access_token: 'a', token_type: 'Bearer', refresh_token: 'r\n' }],
    ['a list of scopes', { access_token: 'a', token_type: 'Bearer', scope: ['a'] }],
    ['a life of -1', { access_token: 'a', token_type: 'Bearer', expires_in: -1 }],
    ['a list', []],
  ])('a token response with %s is refused', async (_, body) => {
    server.answers.set('/token', { body });
    expect(await signIn()).toMatchObject({ code: 'AUTH_FAILED' });
  });

  it.each([1e308, '3600', 0])('a life of %j is understood or cut, and makes no loop', async (expires_in) => {
    server.answers.set('/token', {
      body: { access_token: 'a', token_type: 'Bearer', refresh_token: 'r', expires_in },
    });
    const signed = await person.signedIn();
    for (let n = 0; n < 20; n++) await signed.headers(request());
    expect(asked('/token')).toBe(1);
  });

  it.each([-300_000, 300_000])(
    'a clock that is put right by %i ms makes no loop, and drops nothing',
    async (skew) => {
      let now = Date.now();
      const signed = person.provider({ clock: { ...systemClock, now: () => now } });
      const body = { access_token: 'a', token_type: 'Bearer', refresh_token: 'r', expires_in: 120 };
      server.answers.set('/token', { body });
      await signed.signIn?.({});
      now += skew;
      for (let n = 0; n < 20; n++)
        expect(await signed.headers(request())).toEqual({ authorization: 'Bearer a' });
      // Later than the end of the token by this clock: one refresh. Earlier: none.
      expect(asked('/token')).toBe(skew > 0 ? 2 : 1);
    },
  );

  it('ignores an invalid ID token that was not requested', async () => {
    server.answers.set('/token', {
      body: { access_token: 'a', token_type: 'Bearer', id_token: 'not.a.jwt' },
    });
    expect(await signIn()).toBe('signed in');
  });

  it('ignores keys that reach into prototypes', async () => {
    const evil = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
    for (const [path, found] of Array.from(server.answers)) {
      const body = typeof found === 'object' ? JSON.stringify(found.body ?? {}) : '{}';
      if (typeof found !== 'object' || path === '/api') continue;
      server.answers.set(path, { ...found, body: body.replace('{', `{${evil},`) });
    }
    const store = memoryStore();
    expect(await signIn({ store })).toBe('signed in');
    expect('polluted' in {}).toBe(false);
    const record = await store.get(`oauth\n${server.url}`);
    expect(Object.keys(record ?? {})).not.toContain('__proto__');
    expect(JSON.stringify(record)).not.toContain('polluted');
  });

  it.each([
    ['invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, 'AUTH_REQUIRED', false],
    ['an empty 400', { status: 400, body: '' }, 'AUTH_REQUIRED', true],
    ['a 503', { status: 503, body: '' }, 'SERVER_ERROR', true],
    ['a 429', { status: 429, body: '' }, 'RATE_LIMITED', true],
    ['a broken connection', { status: 0 }, 'CONNECTION_LOST', true],
  ])('a refresh that ends in %s', async (_, reply, code, kept) => {
    const store = memoryStore();
    const signed = await person.signedIn({ store });
    server.answers.set('/token', reply);
    const before = asked('/token');
    for (let n = 0; n < 5; n++) await expect(signed.onChallenge(refusal())).rejects.toMatchObject({ code });
    expect(asked('/token') - before).toBe(1);
    const record = await store.get(`oauth\n${server.url}`);
    expect(record?.['refreshToken']).toBe(kept ? 'r' : undefined);
  });

  it('tries again after a while', async () => {
    let now = Date.now();
    const signed = await person.signedIn({ clock: { ...systemClock, now: () => now } });
    server.answers.set('/token', { status: 503 });
    await expect(signed.onChallenge(refusal())).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    server.answers.set('/token', { body: { access_token: 'new', token_type: 'Bearer' } });
    await expect(signed.onChallenge(refusal())).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    now += 3_000;
    expect(await signed.onChallenge(refusal())).toBe('retry');
  });

  it('keeps the refresh token when a refresh brings none', async () => {
    const store = memoryStore();
    const signed = await person.signedIn({ store });
    server.answers.set('/token', { body: { access_token: 'new', token_type: 'Bearer' } });
    await signed.onChallenge(refusal());
    expect(await store.get(`oauth\n${server.url}`)).toMatchObject({ accessToken: 'new', refreshToken: 'r' });
  });

  it('does not send the tokens of an old issuer to a new one', async () => {
    await using moved = await startFalseServer();
    const store = memoryStore();
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const client = { clientId: 'mine', clientSecret: 'canary', clientIssuer: server.origin };
    const signed = await person.signedIn({ store, clock, ...client });
    server.answers.set('/.well-known/oauth-protected-resource/api', {
      body: { resource: server.url, authorization_servers: [moved.origin] },
    });
    // The cached metadata is too old.
    now += 11 * 60_000;
    await expect(signed.onChallenge(refusal())).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(await signed.signIn?.({}).catch((error: unknown) => error)).toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
    });
    expect(JSON.stringify(moved.asked)).not.toMatch(/canary|mine|"r"|good/);
    expect(moved.asked.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('stops asking for ever-new scopes, and does not request scopes with invalid characters', async () => {
    const signed = await person.signedIn();
    const codes: string[] = [];
    for (let n = 0; n < 5; n++) {
      const challenge = {
        url: new URL(server.url),
        status: 403,
        wwwAuthenticate: `Bearer error="insufficient_scope", scope="s${n} b\\"ad ${'x'.repeat(300)}"`,
        refused: 'Bearer good',
      } as const;
      const error = await signed.onChallenge(challenge).catch((thrown: unknown) => thrown);
      codes.push(typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');
      if (codes.at(-1) === 'AUTH_REQUIRED') await signed.signIn?.({ challenge });
    }
    expect(codes).toEqual([
      'AUTH_REQUIRED',
      'AUTH_REQUIRED',
      ...Array.from({ length: 3 }, () => 'AUTH_SCOPE_INSUFFICIENT'),
    ]);
    expect(person.opened.at(-1)?.searchParams.get('scope')).toBe('s0 s1');
  });

  it('of ten thousand scopes, requests as many as fit into a URL', async () => {
    const all = Array.from({ length: 10_000 }, (_, n) => `s${n}`);
    const wwwAuthenticate = `Bearer error="insufficient_scope", scope="${all.join(' ')}"`;
    expect(await signInAfter(wwwAuthenticate)).toBe('signed in');
    const scopes = person.opened[0]?.searchParams.get('scope')?.split(' ') ?? [];
    expect(scopes).toEqual(all.slice(0, scopes.length));
    expect(scopes).toHaveLength(200);
  });

  it.each([
    ['200 for 201', { status: 200, body: { client_id: 'c' } }, true],
    ['a secret that never expires', { status: 201, body: { client_id: 'c', client_secret: 'canary' } }, true],
    [
      'another redirect URI',
      { status: 201, body: { client_id: 'c', redirect_uris: ['https://evil.example/'] } },
      false,
    ],
    ['a huge id', { status: 201, body: { client_id: 'c'.repeat(5000) } }, false],
    ['CR/LF in the id', { status: 201, body: { client_id: 'c\r\nx: y' } }, false],
    ['no id', { status: 201, body: {} }, false],
    ['a page of a server that requires an API key', { status: 499, ...HTML }, false],
  ])('a registration with %s', async (_, reply, accepted) => {
    server.answers.set('/register', reply);
    const outcome = await signIn();
    if (accepted) expect(outcome).toBe('signed in');
    else expect(outcome).toMatchObject({ code: 'AUTH_FAILED' });
  });

  describe.each([
    [408, 'SERVER_ERROR'],
    [429, 'RATE_LIMITED'],
    [500, 'SERVER_ERROR'],
  ])('a server that answers with %i for a while', (status, code) => {
    it.each([
      ['of the server', ['oauth-protected-resource/api', 'oauth-protected-resource']],
      ['of the authorization server', ['oauth-authorization-server', 'openid-configuration']],
    ])('has metadata %s all the same: no endpoint is guessed', async (_, paths) => {
      for (const path of paths) server.answers.set(`/.well-known/${path}`, { status, ...HTML });
      expect(await signIn()).toMatchObject({ code, details: { status } });
      expect(person.opened).toEqual([]);
    });

    it('does not refuse a registration for good', async () => {
      server.answers.set('/register', { status, ...HTML });
      expect(await signIn()).toMatchObject({ code, details: { status } });
    });
  });

  it('no secret is shown by an error, an inspection or a log', async () => {
    const lines: unknown[] = [];
    const log = (...parts: unknown[]): void => void lines.push(parts);
    const logger = { debug: log, info: log, warn: log, error: log };
    const shown: unknown[] = [];
    const options = { clientId: 'id', clientSecret: 'canary-secret', logger };
    const signed = person.provider(options);
    server.answers.set('/token', {
      status: 400,
      body: { error: 'invalid_grant', access_token: 'canary-token' },
    });
    person.answer = (state) => `code=canary-code&state=${state}`;
    shown.push(await signIn(options));
    server.answers.set('/token', {
      body: { access_token: 'canary-token', token_type: 'x', refresh_token: 'canary-r' },
    });
    shown.push(await signIn(options));
    server.answers.set('/token', {
      body: { access_token: 'canary-token', token_type: 'Bearer', refresh_token: 'canary-r' },
    });
    await signed.signIn?.({});
    server.answers.set('/token', { status: 500, body: 'canary-token' });
    const challenge = { url: new URL(server.url), status: 401, refused: 'Bearer canary-token' } as const;
    shown.push(await signed.onChallenge(challenge).catch((error: unknown) => error), signed);
    await signed.signOut?.();
    const verifier = new URLSearchParams(server.asked.find(({ line }) => line === 'POST /token')?.body).get(
      'code_verifier',
    );
    for (const each of [...shown, ...lines]) {
      const text = inspect(each, { depth: 12, showHidden: true }) + JSON.stringify(each) + String(each);
      expect(text).not.toContain('canary');
      expect(text).not.toContain(verifier ?? 'no verifier');
    }
    expect(inspect(process.env) + process.argv.join()).not.toContain('canary-');
  });
});

import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createClientCredentialsProvider,
  createWorkloadProvider,
  deviceCode,
} from '@mcp-fittings/auth-oauth';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createHttpClient } from '@mcp-fittings/http-client';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  demandPushedRequests,
  offerDeviceGrant,
  startFalseServer,
  type Answer,
  type FalseServer,
} from './support/false-server.js';
import { scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

const TOKEN = { access_token: 'good', token_type: 'Bearer', refresh_token: 'r' };

let server: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  person = scriptSignIn(server);
});
afterEach(() => server[Symbol.asyncDispose]());

const posted = (): readonly URLSearchParams[] =>
  server.asked.filter(({ line }) => line === 'POST /token').map(({ body }) => new URLSearchParams(body));

/** Refuses the token that was stored, as the MCP server does. */
const refuse = (provider: AuthProvider): Promise<unknown> =>
  provider
    .onChallenge({ url: new URL(server.url), status: 401, refused: 'Bearer good' })
    .catch((error: unknown) => error);

describe('a refresh that is refused', () => {
  it.each<[string, Answer, string]>([
    [
      'with status 200',
      { body: { error: 'bad_refresh_token', error_description: 'it expired' } },
      'bad_refresh_token (it expired)',
    ],
    [
      'with status 200, and empty tokens',
      { body: { error: 'invalid_grant', access_token: '', refresh_token: null } },
      'invalid_grant',
    ],
    [
      'with status 400, and a description that is null',
      { status: 400, body: { error: 'invalid_grant', error_description: null } },
      'invalid_grant',
    ],
    [
      'with status 400, and an object as the error',
      { status: 400, body: { error: { message: 'it expired', type: 'OAuthException', code: 190 } } },
      'OAuthException (it expired)',
    ],
    ['with status 400, and an empty error', { status: 400, body: { error: '' } }, 'status 400'],
    [
      'with status 400, and a page',
      { status: 400, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'status 400',
    ],
    [
      'with status 401, a challenge, and an error',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' }, body: { error: 'invalid_client' } },
      'invalid_client',
    ],
    [
      'with status 401, and a challenge',
      { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_client"' }, body: '' },
      'invalid_client',
    ],
    ['with status 200, and no token', { body: {} }, 'no access token'],
    ['with status 200, and a list', { body: [] }, 'not a JSON object'],
    ['with status 200, and nothing', { body: '' }, 'not JSON'],
    [
      'with status 200, and a page',
      { headers: { 'content-type': 'text/html' }, body: '<html>' },
      'not application/json',
    ],
  ])('%s requires a sign-in, and says why', async (_, answer, reason) => {
    const provider = await person.signedIn();
    server.answers.set('/token', answer);
    const before = posted().length;
    for (let n = 0; n < 5; n++) {
      expect(await refuse(provider)).toMatchObject({
        code: 'AUTH_REQUIRED',
        message: expect.stringContaining(reason),
        cause: { code: 'AUTH_FAILED', message: expect.stringContaining(reason) },
      });
    }
    // Metadata that was just read is not read again, so one request is enough.
    expect(posted()).toHaveLength(before + 1);
  });

  it.each(['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token'])(
    'with %s ends the sign-in: the refresh token is not sent again',
    async (error) => {
      const store = memoryStore();
      const provider = await person.signedIn({ store });
      server.answers.set('/token', { body: { error } });
      await refuse(provider);
      expect(await store.get(`oauth\n${server.url}`)).not.toHaveProperty('refreshToken', 'r');
      const before = posted().length;
      expect(await refuse(person.provider({ store }))).toMatchObject({ code: 'AUTH_REQUIRED' });
      expect(posted()).toHaveLength(before);
    },
  );

  it.each([200, 400])('for a while with status %i is temporary, and keeps the sign-in', async (status) => {
    const store = memoryStore();
    const provider = await person.signedIn({ store });
    server.answers.set('/token', { status, body: { error: 'temporarily_unavailable' } });
    expect(await refuse(provider)).toMatchObject({ code: 'SERVER_ERROR', retryable: true });
    expect(await store.get(`oauth\n${server.url}`)).toHaveProperty('refreshToken', 'r');
  });

  it('shows a bounded and escaped reason, without what was sent', async () => {
    const provider = person.provider();
    server.answers.set('/token', { body: { ...TOKEN, refresh_token: 'canary-refresh-token' } });
    await provider.signIn?.({});
    const error_description = `\u001b[31m canary-refresh-token ${'x'.repeat(100_000)}`;
    server.answers.set('/token', { body: { error: 'bad_refresh_token', error_description } });
    const error = await refuse(provider);
    const text = inspect(error, { depth: 9 });
    expect(text).toContain('bad_refresh_token');
    expect(text).not.toMatch(/canary-refresh-token|x{500}/);
    expect(text).not.toContain('\u001b');
  });
});

describe('an error with status 200', () => {
  const error = { error: 'access_denied', error_description: 'not for you' };
  const denied = {
    code: 'AUTH_FAILED',
    message: expect.stringContaining('access_denied (not for you)'),
    details: { oauthError: 'access_denied', status: 200 },
  };
  const headers = { url: new URL('http://127.0.0.1/'), method: 'POST' };

  it('is the error of a redeemed code', async () => {
    server.answers.set('/token', { body: error });
    expect(await person.signIn()).toMatchObject(denied);
  });

  it('is the error of a registration', async () => {
    server.answers.set('/register', { body: error });
    expect(await person.signIn()).toMatchObject(denied);
  });

  it('is the error of client credentials, and of a workload', async () => {
    server.answers.set('/token', { body: error });
    const options = { url: server.url, server: 'test', store: memoryStore(), clientId: 'c' };
    const challenge = { url: new URL(server.url), status: 401 } as const;
    const machine = createClientCredentialsProvider({ ...options, clientSecret: 'secret' });
    await expect(machine.onChallenge(challenge)).rejects.toMatchObject(denied);
    const workload = createWorkloadProvider({ ...options, assertion: () => 'a.b.c' });
    await expect(workload.onChallenge(challenge)).rejects.toMatchObject(denied);
    expect(await machine.headers(headers)).toEqual({});
  });

  it('keeps a device code waiting, and ends it', async () => {
    const fast = {
      interaction: deviceCode({ show: () => undefined }),
      clock: { ...systemClock, schedule: (run: () => void) => systemClock.schedule(run, 1) },
      network: createHttpClient({ url: server.url, server: 'test' }),
    };
    offerDeviceGrant(server, { expires_in: '900', interval: '1', verification_uri_complete: null });
    const answers: object[] = [{ error: 'authorization_pending' }, { error: 'slow_down' }, TOKEN];
    server.answers.set('/token', () => ({ body: answers.shift() ?? error }));
    expect(await person.signIn(fast)).toBe('signed in');
    expect(await person.signIn(fast)).toMatchObject(denied);
    server.answers.set('/device', { body: error });
    expect(await person.signIn(fast)).toMatchObject(denied);
  });

  it.each([
    [undefined, 5_000],
    [0.5, 1_000],
    [1, 1_000],
    [90, 60_000],
  ])('of a device code with the interval %s is asked for after %s ms', async (interval, wait) => {
    const waits: number[] = [];
    const clock = {
      ...systemClock,
      schedule(run: () => void, ms: number) {
        waits.push(ms);
        return systemClock.schedule(run, 1);
      },
    };
    offerDeviceGrant(server, { interval });
    server.answers.set('/token', { body: TOKEN });
    const network = createHttpClient({ url: server.url, server: 'test' });
    const interaction = deviceCode({ show: () => undefined });
    expect(await person.signIn({ interaction, clock, network })).toBe('signed in');
    expect(waits).toEqual([wait]);
  });

  it('is the error of a pushed authorization request, and names the account that it is about', async () => {
    const body = { error: 'access_denied', error_description: 'No account ann@example.com' };
    demandPushedRequests(server, { body });
    expect(await person.signIn({ loginHint: 'ann@example.com' })).toMatchObject({
      ...denied,
      message: expect.stringContaining('access_denied (No account ann@example.com)'),
    });
    server.answers.set('/par', { body: { request_uri: 'urn:x', expires_in: null } });
    expect(await person.signIn()).toBe('signed in');
  });
});

describe('optional members that are null or empty', () => {
  it.each(
    ['expires_in', 'scope', 'refresh_token', 'id_token'].flatMap((name) => [
      [name, null] as const,
      [name, ''] as const,
    ]),
  )('of a token response count as absent: %s is %j', async (name, value) => {
    const store = memoryStore();
    server.answers.set('/token', { body: { ...TOKEN, expires_in: 3600, [name]: value } });
    await person.signedIn({ store, scopes: ['tools'] });
    const record = await store.get(`oauth\n${server.url}`);
    expect(record).toMatchObject({ accessToken: 'good', scopes: ['tools'] });
    expect(record?.['refreshToken']).toBe(name === 'refresh_token' ? undefined : 'r');
    expect(record?.['expiresAt'] === undefined).toBe(name === 'expires_in');
  });

  it.each([null, ''])('of a refreshed token keep what was there: %j', async (value) => {
    const store = memoryStore();
    server.answers.set('/token', { body: { ...TOKEN, scope: 'tools more' } });
    const provider = await person.signedIn({ store, scopes: ['tools'] });
    server.answers.set('/token', {
      body: { ...TOKEN, access_token: 'new', refresh_token: value, scope: value, expires_in: value },
    });
    expect(await refuse(provider)).toBe('retry');
    expect(await store.get(`oauth\n${server.url}`)).toMatchObject({
      accessToken: 'new',
      refreshToken: 'r',
      scopes: ['tools', 'more'],
    });
  });

  it.each([
    { client_secret: null, redirect_uris: null, token_endpoint_auth_method: null, scope: null },
    { client_secret: '', client_secret_expires_at: 0, client_uri: '' },
    { client_secret: 'secret', client_secret_expires_at: null },
    { client_secret: 'secret', client_secret_expires_at: '0' },
  ])('of a registration count as absent: %j', async (members) => {
    server.answers.set('/register', { status: 201, body: { client_id: 'c', ...members } });
    expect(await person.signIn()).toBe('signed in');
    expect(posted()[0]?.get('client_id') ?? 'basic').toBe(members.client_secret === 'secret' ? 'basic' : 'c');
  });
});

describe('the scope of a refresh', () => {
  const signedIn = async (granted: string | undefined): Promise<AuthProvider> => {
    server.answers.set('/token', { body: { ...TOKEN, scope: granted } });
    const provider = await person.signedIn({ scopes: ['api://app/use', 'offline_access'] });
    return provider;
  };

  it.each([
    ['tools', 'tools'],
    [undefined, 'api://app/use offline_access'],
  ])('is what was granted: %s', async (granted, sent) => {
    const provider = await signedIn(granted);
    server.answers.set('/token', { body: { ...TOKEN, access_token: 'new' } });
    expect(await refuse(provider)).toBe('retry');
    expect(posted().at(-1)?.get('scope')).toBe(sent);
  });

  it.each([200, 400])(
    'is left out on a second try if the server refuses it, with status %i',
    async (status) => {
      const provider = await signedIn('granted');
      const answers: Answer[] = [
        { status, body: { error: 'invalid_scope' } },
        { body: { ...TOKEN, access_token: 'new' } },
      ];
      server.answers.set('/token', () => answers.shift() ?? { status: 500 });
      expect(await refuse(provider)).toBe('retry');
      expect(
        posted()
          .slice(-2)
          .map((form) => form.get('scope')),
      ).toEqual(['granted', null]);
      expect(posted().at(-1)?.get('refresh_token')).toBe('r');
    },
  );

  it('is left out once: a server that refuses that as well requires a sign-in', async () => {
    const provider = await signedIn('granted');
    server.answers.set('/token', { status: 400, body: { error: 'invalid_scope' } });
    const before = posted().length;
    expect(await refuse(provider)).toMatchObject({
      code: 'AUTH_REQUIRED',
      message: expect.stringContaining('invalid_scope'),
    });
    expect(posted()).toHaveLength(before + 2);
  });
});

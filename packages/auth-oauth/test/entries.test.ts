import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuthProvider, ServerConfig, TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  createClientCredentialsProvider,
  createOAuthProvider,
  createWorkloadProvider,
  oauth,
  type WebSignIn,
} from '@mcp-fittings/auth-oauth';
import { startFalseServer, REDIRECT, type FalseServer } from './support/false-server.js';
import { scriptSignIn, type ScriptedSignIn } from './support/scripted-sign-in.js';

let server: FalseServer;
let other: FalseServer;
let person: ScriptedSignIn;
beforeEach(async () => {
  server = await startFalseServer();
  other = await startFalseServer();
  server.answers.set('/register', {
    status: 201,
    body: {
      client_id: 'c',
      client_secret: 'canary-registered',
      token_endpoint_auth_method: 'client_secret_basic',
    },
  });
  person = scriptSignIn(server);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const authorization = async (provider: AuthProvider): Promise<string | undefined> =>
  (await provider.headers({ url: new URL(server.url), method: 'POST' }))['authorization'];
const challenge = () => ({ url: new URL(server.url), status: 401 }) as const;
/** Now the server names the other authorization server. */
const move = (): void => server.describe({ resource: { authorization_servers: [other.origin] } });

describe('credentials belong to an entry', () => {
  const entry = (
    store: TokenStore,
    config: object = {},
    { name = 'notes', identity }: { readonly name?: string; readonly identity?: string } = {},
    principal?: string,
  ): AuthProvider => {
    const plugin = oauth({ clientName: 'tests', store, interaction: person.interaction, principal });
    const all: ServerConfig = { url: server.url, ...config };
    const provider = plugin.create({ name, config: all, identity }, {});
    if (provider === undefined) throw new Error('no provider');
    return provider;
  };

  it('the same entry finds its sign-in and its registration again', async () => {
    const store = memoryStore();
    await entry(store, {}, { identity: 'user' }).signIn?.({});
    expect(await authorization(entry(store, { timeout: 5 }, { identity: 'user' }))).toBe('Bearer good');
    await entry(store, {}, { identity: 'user' }).signIn?.({});
    expect(server.asked.filter(({ line }) => line === 'POST /register')).toHaveLength(1);
  });

  it('registers again, once, if the authorization server has forgotten the registration', async () => {
    const store = memoryStore();
    await entry(store).signIn?.({});
    const refused = { status: 401, body: { error: 'invalid_client' } };
    const good = { body: { access_token: 'new', token_type: 'Bearer' } };
    const registrations = (): number => server.asked.filter(({ line }) => line === 'POST /register').length;
    let refusals = 1;
    server.answers.set('/token', () => (refusals-- > 0 ? refused : good));
    await entry(store).signIn?.({});
    expect(await authorization(entry(store))).toBe('Bearer new');
    expect(registrations()).toBe(2);
    refusals = 2;
    await expect(entry(store).signIn?.({})).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(registrations()).toBe(3);
  });

  it.each<[string, object, { readonly name?: string; readonly identity?: string }, string?]>([
    ['of a project with the same name and URL', {}, { identity: 'project /clone' }],
    ['of another name', {}, { name: 'other', identity: 'user' }],
    ['with a proxy of its own', { proxy: 'http://127.0.0.1:1' }, { identity: 'user' }],
    ['with other authorities', { ca: [] }, { identity: 'user' }],
    [
      'with a token endpoint of its own',
      { oauth: { tokenUrl: 'https://evil.example/token' } },
      { identity: 'user' },
    ],
    [
      'with metadata of its own',
      { oauth: { authServerMetadataUrl: 'https://evil.example/metadata' } },
      { identity: 'user' },
    ],
    ['of another client', { oauth: { clientId: 'mine' } }, { identity: 'user' }],
    ['of another person', {}, { identity: 'user' }, 'another person'],
  ])('an entry %s is given neither', async (_, config, who, principal) => {
    const store = memoryStore();
    await entry(store, {}, { identity: 'user' }).signIn?.({});
    const other = entry(store, config, who, principal);
    expect(await authorization(other)).toBeUndefined();
    const get = vi.spyOn(store, 'get');
    await other.onChallenge(challenge()).catch(() => undefined);
    await other.signIn?.({}).catch(() => undefined);
    const read = await Promise.all(get.mock.results.map(({ value }) => value));
    const before = JSON.stringify(read.filter((value) => value?.['obtainedAt'] !== undefined));
    expect(before).not.toContain('"refreshToken":"r"');
    expect(await authorization(entry(store, {}, { identity: 'user' }))).toBe('Bearer good');
  });

  it('without an identity an entry is identified by its name', async () => {
    const store = memoryStore();
    await entry(store, {}, { name: 'work' }).signIn?.({});
    expect(await authorization(entry(store, {}, { name: 'work' }))).toBe('Bearer good');
    expect(await authorization(entry(store, {}, { name: 'private' }))).toBeUndefined();
  });

  it('two entries, two issuers and two persons never read the tokens of one another', async () => {
    const store = memoryStore();
    const owners = ['user', 'project /clone'].flatMap((identity) =>
      [server, other].flatMap(({ origin: issuer }) =>
        ['ann', 'bob'].map((principal) => ({ identity, issuer, principal })),
      ),
    );
    const of = ({ identity, issuer, principal }: (typeof owners)[number]): AuthProvider =>
      entry(store, { oauth: { issuer } }, { identity }, principal);
    const tokens = () => Promise.all(owners.map((owner) => authorization(of(owner))));
    for (const [index, owner] of owners.entries()) {
      expect(await authorization(of(owner))).toBeUndefined();
      expect(await of(owner).identity?.()).toBeUndefined();
      server.describe({ resource: { authorization_servers: [owner.issuer] } });
      for (const { answers } of [server, other])
        answers.set('/token', { body: { access_token: `token-${index}`, token_type: 'Bearer' } });
      await of(owner).signIn?.({});
    }
    const all = owners.map((_, index) => `Bearer token-${index}`);
    expect(await tokens()).toEqual(all);
    const names = await Promise.all(owners.map(async (owner) => of(owner).identity?.()));
    expect(new Set(names).size).toBe(owners.length);
    for (const owner of owners.slice(0, 1)) await of(owner).signOut?.();
    expect(await tokens()).toEqual([undefined, ...all.slice(1)]);
  });

  it('a sign-in of one person does not end in the tokens of another one', async () => {
    const store = memoryStore();
    const of = (principal: string): AuthProvider & WebSignIn =>
      createOAuthProvider({ url: server.url, store, clientName: 'tests', principal });
    const { state } = await of('one').startSignIn({ redirectUri: REDIRECT });
    const callback = `${REDIRECT}?code=abc&state=${state}`;
    await expect(of('two').completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await of('one').completeSignIn(callback);
    expect(await authorization(of('one'))).toBe('Bearer good');
    expect(await authorization(of('two'))).toBeUndefined();
  });
});

describe('a client credential goes to one issuer', () => {
  const SECRET = 'canary-secret';
  const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.c2ln';
  const machine = (store: TokenStore, more: object = {}): AuthProvider =>
    createClientCredentialsProvider({ url: server.url, store, clientId: 'm', clientSecret: SECRET, ...more });
  const expectKept = async (work: Promise<unknown>): Promise<void> => {
    await expect(work).rejects.toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
      details: { reason: 'issuer' },
    });
    expect(other.asked.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  };

  it('client credentials, silently, in this process and in the next one', async () => {
    const store = memoryStore();
    let now = Date.now();
    const provider = machine(store, { clock: { ...systemClock, now: () => now } });
    expect(await provider.onChallenge(challenge())).toBe('retry');
    move();
    // The cached metadata is too old.
    now += 11 * 60_000;
    await expectKept(provider.onChallenge({ ...challenge(), refused: 'Bearer good' }));
    await expectKept(machine(store).onChallenge({ ...challenge(), refused: 'Bearer good' }));
    await provider.signOut?.();
    await expectKept(machine(store).onChallenge(challenge()));
  });

  it('also when the first one refused them', async () => {
    const store = memoryStore();
    server.answers.set('/token', { status: 401, body: { error: 'invalid_client' } });
    await expect(machine(store).onChallenge(challenge())).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    move();
    await expectKept(machine(store).onChallenge(challenge()));
  });

  it('of twenty at the same time with two issuers, one issuer is asked', async () => {
    const store = memoryStore();
    for (const each of [server, other])
      each.answers.set('/token', { status: 401, body: { error: 'invalid_client' } });
    let asked = 0;
    server.answers.set('/.well-known/oauth-protected-resource/api', () => ({
      body: {
        resource: server.url,
        authorization_servers: [asked++ % 2 === 0 ? server.origin : other.origin],
      },
    }));
    await Promise.allSettled(Array.from({ length: 20 }, async () => machine(store).onChallenge(challenge())));
    expect(asked).toBeGreaterThan(1);
    const told = [server, other].filter(({ asked }) => asked.some(({ line }) => line === 'POST /token'));
    expect(told).toHaveLength(1);
  });

  it('the JWT of a workload', async () => {
    const store = memoryStore();
    const provider = (): AuthProvider =>
      createWorkloadProvider({ url: server.url, store, assertion: () => JWT });
    expect(await provider().onChallenge(challenge())).toBe('retry');
    move();
    await expectKept(provider().onChallenge({ ...challenge(), refused: 'Bearer good' }));
  });

  it('the secret of a client that a person signs in with', async () => {
    const store = memoryStore();
    const options = { store, clientId: 'mine', clientSecret: SECRET };
    expect(await person.signIn(options)).toBe('signed in');
    await person.provider(options).signOut?.();
    move();
    await expectKept(Promise.resolve(person.provider(options).signIn?.({})));
    expect(JSON.stringify(other.asked)).not.toContain('canary');
  });

  it('a private key, and what is signed with it', async () => {
    const store = memoryStore();
    const { privateKey: key } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      false,
      ['sign', 'verify'],
    );
    const options = { store, clientId: 'mine', clientKey: { key } };
    expect(await person.signIn(options)).toBe('signed in');
    move();
    await expectKept(Promise.resolve(person.provider(options).signIn?.({})));
  });

  it('a configured issuer takes precedence over the stored one', async () => {
    const store = memoryStore();
    await expect(
      machine(store, { clientIssuer: other.origin }).onChallenge(challenge()),
    ).rejects.toMatchObject({
      code: 'AUTH_DISCOVERY_FAILED',
    });
    expect(server.asked.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
    expect(await machine(store).onChallenge(challenge())).toBe('retry');
    move();
    const moved = machine(store, { clientIssuer: other.origin });
    expect(await moved.onChallenge({ ...challenge(), refused: 'Bearer good' })).toBe('retry');
  });
});

describe('a stored token with characters that a header cannot hold', () => {
  it.each(['a\r\nx-evil: 1', 'a b', 'a\u0000', 'ä', ''])(
    'the access token %j is not a token',
    async (accessToken) => {
      const store = memoryStore();
      expect(await person.signIn({ store })).toBe('signed in');
      const key = `oauth\n${server.url}`;
      await store.set(key, { ...(await store.get(key)), accessToken });
      const provider = person.provider({ store });
      expect(await provider.headers({ url: new URL(server.url), method: 'POST' })).toEqual({});
    },
  );

  it('does not send such a refresh token', async () => {
    const store = memoryStore();
    expect(await person.signIn({ store })).toBe('signed in');
    const key = `oauth\n${server.url}`;
    await store.set(key, { ...(await store.get(key)), refreshToken: 'r\r\nx: 1' });
    const before = server.asked.length;
    await expect(
      person.provider({ store }).onChallenge({ ...challenge(), refused: 'Bearer good' }),
    ).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(server.asked.slice(before).filter(({ line }) => line === 'POST /token')).toEqual([]);
  });
});

import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SignJWT } from 'jose';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { xaa, type SubjectToken } from '@mcp-fittings/auth-xaa';
import { memoryStore } from '@mcp-fittings/store-file';
import { createWorld, SECRET, useOwnDate, type World } from './support/world.js';

let world: World;
useOwnDate();
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const idToken = async (sub: unknown, changes: object = {}): Promise<string> =>
  new SignJWT({
    iss: world.idp.origin,
    aud: 'host',
    sub: 'x',
    ...Object.fromEntries([['sub', sub]]),
    ...changes,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
    .setIssuedAt()
    .setExpirationTime('2h')
    .sign(world.idp.privateKey);

/** The user of the access token that the server received last. */
const seenBy = async (): Promise<string | undefined> => {
  const token = world.resource.seen.at(-1)?.split(' ')[1] ?? '';
  return (await world.as.find(token))?.accountId;
};
const sign = (provider: AuthProvider) =>
  provider.headers({ url: new URL(world.resource.url), method: 'POST' });

/** The provider of a program that is signed in as whom `nameOf` says. */
const providerOf = (nameOf: () => string): AuthProvider =>
  world.provider(
    world.identity({ subjectToken: async () => ({ type: 'id_token', token: await idToken(nameOf()) }) }),
  );

/** The user of a token, for the identity provider, which trusts these tests. */
const believe = (people: Readonly<Record<string, string>>): void => {
  world.idp.claims = (claims) => ({ ...claims });
  for (const [token, account] of Object.entries(people)) {
    const find = world.idp.provider.RefreshToken.find.bind(world.idp.provider.RefreshToken);
    world.idp.provider.RefreshToken.find = async (value: unknown) =>
      value === token ? { clientId: 'host', isValid: true, accountId: account } : find(value);
  }
};

describe('users whom a host has signed in do not share tokens', () => {
  it.each<[string, (name: string) => Promise<SubjectToken>]>([
    ['ID tokens', async (name) => ({ type: 'id_token', token: await idToken(name) })],
    ['refresh tokens', async (name) => ({ type: 'refresh_token', token: `refresh-of-${name}` })],
    [
      'refresh tokens with an id of the host',
      async (name) => ({ type: 'refresh_token', token: `refresh-of-${name}`, principal: `id ${name}` }),
    ],
  ])('by %s, one after the other', async (_, tokenOf) => {
    believe({ 'refresh-of-one': 'one', 'refresh-of-two': 'two' });
    let now = await tokenOf('one');
    const identity = world.identity({ subjectToken: () => now });
    const provider = world.provider(identity);
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(await seenBy()).toBe('one');
    // The token is exchanged as it is.
    expect(world.tokenRequests()).toEqual(['idp token-exchange', 'as jwt-bearer']);
    const first = await identity.sessionId();
    now = await tokenOf('two');
    expect(await identity.sessionId()).not.toBe(first);
    expect(await sign(provider)).toEqual({});
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(await seenBy()).toBe('two');
    // And the first user again, with their tokens.
    now = await tokenOf('one');
    world.forgetRequests();
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(await seenBy()).toBe('one');
    expect(world.tokenRequests()).toEqual([]);
  });

  it('in concurrent calls, each for its own user', async () => {
    const here = new AsyncLocalStorage<string>();
    const tokens = new Map<string, string>();
    for (const name of ['one', 'two', 'three']) tokens.set(name, await idToken(name));
    const subjectToken = async (): Promise<SubjectToken> => {
      const name = here.getStore() ?? '';
      await Promise.resolve();
      return { type: 'id_token', token: tokens.get(name) ?? '' };
    };
    const provider = world.provider(world.identity({ subjectToken }));
    const use = (name: string) =>
      here.run(name, async () => {
        expect((await world.useSilently(provider)).status).toBe(200);
        const { authorization = '' } = await sign(provider);
        return (await world.as.find(authorization.split(' ')[1] ?? ''))?.accountId;
      });
    const names = Array.from({ length: 12 }, (_, index) => ['one', 'two', 'three'][index % 3] ?? '');
    expect(await Promise.all(names.map(use))).toEqual(names);
  });

  it('after a sign-out earlier tokens are not used, neither for the next user nor for the same one', async () => {
    let name = 'one';
    const identity = world.identity({
      subjectToken: async () => ({ type: 'id_token', token: await idToken(name) }),
    });
    const provider = world.provider(identity);
    await world.useSilently(provider);
    const { authorization: old } = await sign(provider);
    expect(old).toBeDefined();
    await identity.signOut();
    expect(await sign(provider)).toEqual({});
    name = 'two';
    await world.useSilently(provider);
    expect(await seenBy()).toBe('two');
    name = 'one';
    await world.useSilently(provider);
    expect(await seenBy()).toBe('one');
    expect((await sign(provider))['authorization']).not.toBe(old);
  });

  it('in another process and in a new one with the same store', async () => {
    const process = (name: string): AuthProvider => providerOf(() => name);
    await world.useSilently(process('one'));
    expect(await sign(process('one'))).toHaveProperty('authorization');
    expect(await sign(process('two'))).toEqual({});
    await world.useSilently(process('two'));
    expect(await seenBy()).toBe('two');
  });

  it('SAML assertions of two users are two sign-ins', async () => {
    const provider = world.provider(
      world.identity({ subjectToken: () => ({ type: 'saml2', token: world.idp.saml }) }),
    );
    await world.useSilently(provider);
    const first = await sign(provider);
    expect(first).toHaveProperty('authorization');
    world.idp.saml = 'c2FtbC1vZi1zb21lYm9keS1lbHNl';
    expect(await sign(provider)).toEqual({});
    await world.useSilently(provider);
    expect(await sign(provider)).not.toEqual(first);
  });

  it('the user of the host takes precedence over a sign-in of the package, and shares it if it is the same user', async () => {
    let given: SubjectToken | undefined;
    const identity = world.identity({ subjectToken: () => given });
    const provider = world.provider(identity);
    await world.use(provider);
    const ours = await identity.sessionId();
    given = { type: 'id_token', token: await idToken('person') };
    expect(await identity.sessionId()).toBe(ours);
    given = { type: 'id_token', token: await idToken('two') };
    expect(await identity.sessionId()).not.toBe(ours);
    expect(await sign(provider)).toEqual({});
    await world.useSilently(provider);
    expect(await seenBy()).toBe('two');
    // The sign-out of one user does not affect the other.
    await identity.signOut();
    given = undefined;
    expect(await identity.sessionId()).toBe(ours);
    expect(await sign(provider)).toHaveProperty('authorization');
  });

  it('without a user of the host, no one is signed in', async () => {
    let given: SubjectToken | undefined = { type: 'id_token', token: await idToken('one') };
    const identity = world.identity({ subjectToken: () => given });
    const provider = world.provider(identity);
    await world.useSilently(provider);
    given = undefined;
    expect(await identity.sessionId()).toBeUndefined();
    expect(await sign(provider)).toEqual({});
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it.each<[string, unknown, object]>([
    ['no subject', undefined, {}],
    ['an empty subject', '', {}],
    ['a list as its subject', ['one'], {}],
    ['another issuer', 'one', { iss: 'https://idp.example' }],
    ['no issuer', 'one', { iss: undefined }],
    ['another audience', 'one', { aud: 'another' }],
  ])('an ID token with %s is refused before anything is used', async (_, sub, changes) => {
    const good = await idToken('one');
    const bad = await idToken(sub, changes);
    let token = good;
    const identity = world.identity({ subjectToken: () => ({ type: 'id_token', token }) });
    const provider = world.provider(identity);
    await world.useSilently(provider);
    token = bad;
    await expect(sign(provider)).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    await expect(identity.sessionId()).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
  });

  it('a sign-out of one server affects one user', async () => {
    let name = 'one';
    const provider = providerOf(() => name);
    await world.useSilently(provider);
    await provider.signOut?.();
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    name = 'two';
    expect((await world.useSilently(provider)).status).toBe(200);
  });
});

describe('XAA tokens belong to an entry and to a principal of the host', () => {
  it('another entry and another principal start without tokens', async () => {
    const provider = (identity: string, principal?: string): AuthProvider => {
      const plugin = xaa({
        identityProvider: { issuer: world.idp.origin, clientId: 'host' },
        store: world.store,
        principal,
      });
      const config = {
        url: world.resource.url,
        oauth: { xaa: true, clientId: 'mcp-client', clientSecret: SECRET },
      };
      const made = plugin.create({ name: 'test', config, identity }, {});
      if (made === undefined) throw new Error('no provider');
      return made;
    };
    await world.identity().signIn();
    await world.useSilently(provider('user'));
    expect(await sign(provider('user'))).toHaveProperty('authorization');
    expect(await sign(provider('project'))).toEqual({});
    expect(await sign(provider('user', 'other'))).toEqual({});
    await expect(world.useSilently(provider('user', 'other'))).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
    });
  });
});

describe('the servers of one principal of the host', () => {
  it('share one sign-in, which is not that of another principal', async () => {
    await using more = await createWorld({ servers: 2 });
    const { store, interaction, idp } = more;
    const plugin = xaa({ identityProvider: { issuer: idp.origin, clientId: 'host' }, store, interaction });
    const signIn = async (principal: string): Promise<void> => {
      const providers = more.resources.map(({ url }, n) => {
        const oauth = { xaa: true, clientId: 'mcp-client', clientSecret: SECRET };
        const provider = plugin.create({ name: `server ${n}`, config: { url, oauth }, principal }, {});
        if (provider === undefined) throw new Error('no provider');
        return { url, provider };
      });
      for (const { url, provider } of providers) {
        await expect(more.useSilently(provider, url)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
      }
      for (const { url, provider } of providers) expect((await more.use(provider, url)).status).toBe(200);
    };
    await signIn('one');
    expect(more.pages).toHaveLength(1);
    await signIn('two');
    expect(more.pages).toHaveLength(2);
  });
});

describe('the URL of a Client ID Metadata Document', () => {
  it('is checked at configuration', () => {
    const clientMetadataUrl = 'http://app.example/c.json';
    const mistake = expect.objectContaining({ code: 'CONFIG_INVALID' });
    const identityProvider = { issuer: 'https://idp.example', clientId: 'host' };
    expect(() => xaa({ identityProvider, store: memoryStore(), clientMetadataUrl })).toThrow(mistake);
    expect(() =>
      world.identity().createProvider({
        url: 'https://mcp.example/',
        store: memoryStore(),
        clientMetadataUrl,
      }),
    ).toThrow(mistake);
  });
});

describe('responses of the identity provider and the authorization server', () => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['with invisible characters', (text) => Array.from(text).join('\u200b')],
  ])('neither subject token nor assertion nor client secret is in an error (%s)', async (_, echo) => {
    const provider = world.provider(world.identity());
    const shown = async (): Promise<string> => {
      const error: unknown = await world.use(provider).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      return (inspect(error, { depth: 9 }) + JSON.stringify(error)).replaceAll('\u200b', '');
    };
    const hidden = (secret: string, text: string): void => {
      expect(secret).not.toBe('');
      for (const each of [secret, echo(secret)])
        expect(text).not.toContain(each.replaceAll('\u200b', '').slice(0, 40));
    };
    let told = '';
    world.idp.policy = (params) => {
      told = String(params['subject_token']);
      return { error: 'invalid_scope', error_description: echo(told) };
    };
    const first = await shown();
    hidden(told, first);
    world.idp.policy = () => undefined;
    world.as.policy = (params) => {
      told = String(params['assertion']);
      return { error: 'invalid_scope', error_description: echo(told) };
    };
    const second = await shown();
    hidden(told, second);
    world.as.policy = () => ({ error: 'invalid_scope', error_description: `yours is ${echo(SECRET)}` });
    expect(await shown()).not.toContain(echo(SECRET).replaceAll('\u200b', ''));
  });
});

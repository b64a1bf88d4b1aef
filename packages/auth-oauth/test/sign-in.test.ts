import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryStore } from '@mcp-fittings/store-file';
import type { Interaction } from '@mcp-fittings/auth-oauth';
import { createWorld, scripted, type World } from './support/world.js';

describe('signing in at a real authorization server', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  it('discovers the server, registers, signs in and is accepted', async () => {
    const { as, resource } = world;
    const response = await world.use(world.provider());
    expect(response.status).toBe(200);
    expect(as.requests).toContain('POST /reg');
    expect(as.tokenRequests).toHaveLength(1);
    expect(as.tokenRequests[0]?.body.get('resource')).toBe(resource.url);
  });

  it('a new process with the same store needs no sign-in and no registration', async () => {
    await world.use(world.provider());
    const before = world.as.requests.filter((request) => request === 'POST /reg').length;
    const response = await world.use(world.provider({ interaction: undefined }));
    expect(response.status).toBe(200);
    expect(world.as.requests.filter((request) => request === 'POST /reg')).toHaveLength(before);
  });

  it('signs with a valid token without reading the store, and with a newer one once it is stored', async () => {
    let reads = 0;
    const store = {
      ...world.store,
      get: (key: string) => {
        reads++;
        return world.store.get(key);
      },
    };
    await world.use(world.provider({ store }));
    // It reads what the other one has stored, once.
    const provider = world.provider({ store });
    const request = { url: new URL(world.resource.url), method: 'POST' };
    const { authorization: refused } = await provider.headers(request);
    reads = 0;
    for (let n = 0; n < 1000; n++)
      expect(await provider.headers(request)).toEqual({ authorization: refused });
    expect((await world.use(provider)).status).toBe(200);
    expect(reads).toBe(0);
    await provider.onChallenge({ url: request.url, status: 401, refused });
    const { authorization } = await provider.headers(request);
    expect(authorization).toMatch(/^Bearer /);
    expect(authorization).not.toBe(refused);
    await provider.signOut?.();
    expect(await provider.headers(request)).toEqual({});
  });

  it.each([
    ['', '"test" requires more scopes than your sign-in includes.'],
    [', scope="admin"', '"test" requires the scope "admin", which your sign-in does not include.'],
    [', scope="tools a b"', '"test" requires the scopes "a", "b", which your sign-in does not include.'],
    [`, scope="${'x'.repeat(256)} ${'y'.repeat(256)}"`, expect.stringContaining('requires the scopes "xxx')],
  ])('says what a challenge with %j asks of a person who is signed in', async (scope, message) => {
    const provider = world.provider();
    await world.use(provider);
    const { authorization } = await provider.headers({ url: new URL(world.resource.url), method: 'POST' });
    const challenge = {
      url: new URL(world.resource.url),
      status: 403,
      wwwAuthenticate: `Bearer error="insufficient_scope"${scope}`,
      refused: authorization,
    } as const;
    const error: unknown = await provider.onChallenge(challenge).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'AUTH_REQUIRED',
      message,
      hint: expect.stringContaining('host.signIn()'),
    });
    expect(String(error).length).toBeLessThan(500);
  });

  it('RFC 8252 registers again if the registered port is in use, and uses it otherwise', async () => {
    const registrations = (): number => world.as.requests.filter((request) => request === 'POST /reg').length;
    const provider = world.provider();
    await world.use(provider);
    await provider.signIn?.({});
    expect(registrations()).toBe(1);
    await world.provider({ callbackPort: 33_419 }).signIn?.({});
    expect(registrations()).toBe(2);
  });

  it('keeps a token in memory that could not be stored, and logs it', async () => {
    const lines: string[] = [];
    const inner = memoryStore();
    const store = {
      ...inner,
      async set(key: string, value: Readonly<Record<string, unknown>>) {
        if (key.startsWith('oauth\n')) throw new Error('disk full');
        await inner.set(key, value);
      },
    };
    const logger = { debug() {}, info() {}, warn() {}, error: (line: string) => void lines.push(line) };
    const provider = world.provider({ store, logger });
    await world.use(provider);
    expect(lines.join()).toContain('Could not store the new token');
    // A refusal reads the store again, which is empty: the token in memory must survive that.
    const token = world.resource.seen.at(-1)?.split(' ')[1] ?? '';
    world.resource.dead.add(token);
    expect((await world.use(provider)).status).toBe(200);
    expect(world.as.tokenRequests.map(({ grant }) => grant)).toEqual(['authorization_code', 'refresh_token']);
  });

  it.each([false, true])(
    'RFC 9126 gives the request to a server that demands it, and shows the browser a reference (nonces: %s)',
    async (dpopNonce) => {
      await using strict = await createWorld({ pushedOnly: true, dpopNonce });
      const shown: URL[] = [];
      const person = scripted();
      const interaction: Interaction = {
        async begin(options) {
          const session = await person.begin(options);
          return {
            ...session,
            authorize: (request) => {
              shown.push(request.url);
              return session.authorize(request);
            },
          };
        },
      };
      const provider = strict.provider({ interaction, dpop: dpopNonce ? 'always' : 'auto' });
      expect((await strict.use(provider)).status).toBe(200);
      expect([...(shown[0]?.searchParams.keys() ?? [])]).toEqual(['client_id', 'request_uri']);
      expect(strict.as.requests.filter((line) => line === 'POST /request')).toHaveLength(dpopNonce ? 2 : 1);
    },
  );

  it('step-up: asks for the union, once', async () => {
    const provider = world.provider();
    await world.use(provider);
    world.resource.needs = 'admin';
    expect((await world.use(provider)).status).toBe(200);
    world.resource.insatiable = true;
    await expect(world.use(provider)).rejects.toMatchObject({ code: 'AUTH_SCOPE_INSUFFICIENT' });
  });

  it('signs out locally if the revocation fails, and revokes otherwise', async () => {
    const provider = world.provider();
    await world.use(provider);
    const token = world.resource.seen.at(-1)?.split(' ')[1] ?? '';
    await provider.signOut?.();
    expect(await world.as.find(token)).toBeUndefined();
    expect(await provider.headers({ url: new URL(world.resource.url), method: 'POST' })).toEqual({});

    await world.use(provider);
    world.as.fault = { path: '/token/revocation', status: 500, body: '<html>' };
    await provider.signOut?.();
    expect(await provider.headers({ url: new URL(world.resource.url), method: 'POST' })).toEqual({});
  });
});

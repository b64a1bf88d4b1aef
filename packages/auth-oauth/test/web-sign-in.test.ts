import { inspect } from 'node:util';
import type { TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createOAuthProvider, type OAuthProviderOptions } from '@mcp-fittings/auth-oauth';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedPerson } from './support/authorization-server.mjs';
import { createWorld, type World } from './support/world.js';

const redirectUri = 'http://127.0.0.1:8080/signed-in';

/** Two providers that share only the store, like two replicas. */
describe('a sign-in that starts in one process and is completed in another', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const replica = (more: Partial<OAuthProviderOptions> = {}) => {
    const { resource, store } = world;
    return createOAuthProvider({ url: resource.url, server: 'test', store, clientName: 'tests', ...more });
  };
  const comeBack = async (url: URL): Promise<string> => {
    const { location, html } = await scriptedPerson(url);
    if (location === undefined) throw new Error(html.slice(0, 500));
    return location;
  };
  const tokenRequests = (): number => world.as.tokenRequests.length;
  const isIn = async (provider: ReturnType<typeof replica>): Promise<boolean> =>
    (await world.use(provider).catch(() => undefined))?.status === 200;

  it('the second process redeems the code that the first one requested, and both are signed in', async () => {
    const [first, second] = [replica(), replica()];
    const { url, state, expiresAt } = await first.startSignIn({ redirectUri });
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    expect(expiresAt).toBeGreaterThan(Date.now());
    const callback = await comeBack(url);
    expect(new URL(callback).searchParams.get('state')).toBe(state);
    await second.completeSignIn(callback);
    expect([await isIn(first), await isIn(second), await isIn(replica())]).toEqual([true, true, true]);
    expect(tokenRequests()).toBe(1);
  });

  it('a callback counts once, even at two replicas at the same time', async () => {
    const { url } = await replica().startSignIn({ redirectUri });
    const callback = await comeBack(url);
    const ended = await Promise.allSettled([
      replica().completeSignIn(callback),
      replica().completeSignIn(new URL(callback)),
    ]);
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(replica().completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(tokenRequests()).toBe(1);
  });

  it('a callback with another state, several, or none changes nothing, and the right one still counts', async () => {
    const { url } = await replica().startSignIn({ redirectUri });
    const real = await comeBack(url);
    const forged = ['', '?state=', '?code=x', '?state=a&state=b&code=x', `?state=${'x'.repeat(43)}&code=x`];
    for (const query of forged) {
      const callback = replica().completeSignIn(`${redirectUri}${query}`);
      await expect(callback, query).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    }
    await expect(replica().completeSignIn('no address')).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(tokenRequests()).toBe(0);
    await replica().completeSignIn(real);
  });

  it('refuses the state of another server of the same host', async () => {
    const { url } = await replica().startSignIn({ redirectUri });
    const callback = await comeBack(url);
    const other = replica({ url: `${world.resource.origin}/mcp/other` });
    await expect(other.completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    await replica().completeSignIn(callback);
  });

  it('an expired sign-in has to be started again', async () => {
    const { url } = await replica().startSignIn({ redirectUri, lifeMs: 1000 });
    const callback = await comeBack(url);
    const later = replica({ clock: { ...systemClock, now: () => Date.now() + 2000 } });
    await expect(later.completeSignIn(callback)).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(replica().completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(tokenRequests()).toBe(0);
  });

  it('abandoned sign-ins are deleted when they have expired', async () => {
    const stored = new Map<string, unknown>();
    const { store: inner } = world;
    const store: TokenStore = {
      ...inner,
      set: async (key, value) => (stored.set(key, value), inner.set(key, value)),
      delete: async (key) => (stored.delete(key), inner.delete(key)),
    };
    const at = (ms: number) => replica({ store, clock: { ...systemClock, now: () => Date.now() + ms } });
    const text = (): string => JSON.stringify([...stored]);
    const { state: abandoned } = await at(0).startSignIn({ redirectUri });
    const { state: slow } = await at(0).startSignIn({ redirectUri, lifeMs: 3_600_000 });
    expect(text()).toContain(abandoned);
    const { url, state } = await at(600_000).startSignIn({ redirectUri });
    expect(text()).not.toContain(abandoned);
    expect(text()).toContain(slow);
    await at(600_000).completeSignIn(await comeBack(url));
    expect(text()).not.toContain(state);
    expect(text()).toContain(slow);
  });

  it('sign-ins that two replicas start at the same time can both be completed, and the newest of many', async () => {
    const started = await Promise.all(
      Array.from({ length: 40 }, () => replica().startSignIn({ redirectUri })),
    );
    const newest = [
      await replica().startSignIn({ redirectUri }),
      await replica().startSignIn({ redirectUri }),
    ];
    expect(new Set([...started, ...newest].map(({ state }) => state)).size).toBe(42);
    for (const { url } of newest) await replica().completeSignIn(await comeBack(url));
    const pending = await world.store.get(`oauth-pending\n${world.resource.url}`);
    expect(pending?.['waiting']).toHaveLength(30);
    // A store that deletes what has expired looks at this.
    expect(pending?.['expiresAt']).toBeGreaterThan(Date.now());
  });

  it('the issuer in the callback must be the stored one', async () => {
    const { url } = await replica().startSignIn({ redirectUri });
    const callback = new URL(await comeBack(url));
    callback.searchParams.set('iss', 'https://evil.example');
    await expect(replica().completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(tokenRequests()).toBe(0);
  });

  it('does not send the code to an authorization server that the server names meanwhile', async () => {
    const { url } = await replica().startSignIn({ redirectUri });
    const callback = await comeBack(url);
    const other = await createWorld();
    try {
      world.resource.issuers = [other.as.origin];
      await expect(replica().completeSignIn(callback)).rejects.toMatchObject({ code: 'AUTH_FAILED' });
      expect([tokenRequests(), other.as.tokenRequests.length]).toEqual([0, 0]);
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  it('a refusal of the authorization server is a typed error with its text escaped', async () => {
    const { state } = await replica().startSignIn({ redirectUri });
    const parameters = new URLSearchParams({
      state,
      iss: world.as.origin,
      error: 'access_denied',
      error_description: '\u001b[31m<script>'.repeat(10_000),
    });
    const error: unknown = await replica()
      .completeSignIn(`${redirectUri}?${parameters.toString()}`)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'AUTH_FAILED', details: { oauthError: 'access_denied' } });
    expect(inspect(error, { depth: 9 })).not.toContain('\u001b[31m<');
    expect(inspect(error).length).toBeLessThan(5000);
  });

  it('DPoP: the second one uses the key that the first one bound the code to', async () => {
    world.resource.dpopOnly = true;
    const [first, second] = [replica({ dpop: 'always' }), replica({ dpop: 'always' })];
    const { url } = await first.startSignIn({ redirectUri });
    await second.completeSignIn(await comeBack(url));
    expect([await isIn(first), await isIn(second)]).toEqual([true, true]);
  });

  it('a server that still refuses access after a sign-in with more scopes gets no other one', async () => {
    const [first, second] = [replica(), replica()];
    const url = new URL(world.resource.url);
    const challenge = async () => {
      const { authorization: refused } = await second.headers({ url, method: 'POST' });
      return { url, status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"', refused } as const;
    };
    const signIn = async (more?: Awaited<ReturnType<typeof challenge>>): Promise<void> => {
      const { url: page } = await first.startSignIn({ redirectUri, challenge: more });
      await second.completeSignIn(await comeBack(page));
    };
    await signIn();
    const refusal = await challenge();
    await expect(second.onChallenge(refusal)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await signIn(refusal);
    await expect(second.onChallenge(await challenge())).rejects.toMatchObject({
      code: 'AUTH_SCOPE_INSUFFICIENT',
    });
  });
});

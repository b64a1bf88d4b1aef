import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { createWorld, later, useOwnDate, type World } from './support/world.js';

useOwnDate();

let world: World;
let identity: ReturnType<World['identity']>;
let provider: AuthProvider;
beforeEach(async () => {
  world = await createWorld();
  identity = world.identity();
  provider = world.provider(identity);
  await world.use(provider);
});
afterEach(() => world[Symbol.asyncDispose]());

const sign = (by = provider) => by.headers({ url: new URL(world.resource.url), method: 'POST' });
const KEY = (): string => `xaa\n${world.resource.url}`;

describe('tokens that were derived from a sign-in end with it', () => {
  it('a sign-out at the identity provider drops the access tokens, in this process and in the store', async () => {
    const refreshToken = (await world.store.get(`xaa-sign-in\nhost\n${world.idp.origin}/`))?.['refreshToken'];
    expect(refreshToken).toEqual(expect.any(String));
    await identity.signOut();
    expect(await sign()).toEqual({});
    expect(await world.store.get(KEY())).toBeUndefined();
    expect(world.idp.requests).toContain('POST /token/revocation');
    expect(await world.idp.provider.RefreshToken.find(refreshToken)).toBeUndefined();
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('another user who signs in gets separate tokens', async () => {
    const { authorization: old } = await sign();
    await identity.signOut();
    world.login = 'other-user';
    await identity.signIn();
    expect(await sign()).toEqual({});
    expect((await world.use(provider)).status).toBe(200);
    const { authorization } = await sign();
    expect(authorization).not.toBe(old);
    expect((await world.as.find(authorization?.split(' ')[1] ?? ''))?.accountId).toBe('other-user');
  });

  it('the same without a sign-out before', async () => {
    const before = await identity.sessionId();
    await identity.requireStepUp({ server: 'test', maxAge: 60 });
    world.login = 'other-user';
    await identity.signIn();
    expect(await identity.sessionId()).not.toBe(before);
    expect(await sign()).toEqual({});
    expect(await world.store.get(KEY())).toBeUndefined();
  });

  it('does not use what a slow process stores for the previous user', async () => {
    const stale = await world.store.get(KEY());
    await identity.signOut();
    world.login = 'other-user';
    await world.use(provider);
    const { authorization = '' } = await sign();
    await world.store.set(KEY(), stale ?? {});
    world.resource.dead.add(authorization.split(' ')[1] ?? '');
    expect((await world.useSilently(provider)).status).toBe(200);
    const token = world.resource.seen.at(-1)?.split(' ')[1] ?? '';
    expect((await world.as.find(token))?.accountId).toBe('other-user');
  });

  it('another process notices within a minute', async () => {
    const there = world.provider(world.identity());
    expect(await sign(there)).toHaveProperty('authorization');
    await identity.signOut();
    later(61_000);
    expect(await sign(there)).toEqual({});
  });

  it('a refresh token that the identity provider has revoked ends the sign-in', async () => {
    const stored = await world.store.get(`xaa-sign-in\nhost\n${world.idp.origin}/`);
    const token = await world.idp.provider.RefreshToken.find(stored?.['refreshToken']);
    await token.destroy();
    later(2 * 3600_000);
    await expect(world.useSilently(provider)).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
      message: expect.stringContaining('invalid_grant'),
      cause: { code: 'AUTH_FAILED' },
    });
    expect(await world.store.get(KEY())).toBeUndefined();
  });

  it('the same user who signs in again keeps their tokens', async () => {
    const before = await identity.sessionId();
    await identity.requireStepUp({ server: 'test', maxAge: 60 });
    await identity.signIn();
    expect(world.pages).toHaveLength(2);
    expect(await identity.sessionId()).toBe(before);
    expect(await sign()).toHaveProperty('authorization');
  });
});

describe('signing out of one server', () => {
  it('persists although the tokens could be renewed silently, and for other processes too', async () => {
    const { authorization = '' } = await sign();
    await provider.signOut?.();
    expect(await world.as.find(authorization.split(' ')[1] ?? '')).toBeUndefined();
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await expect(world.useSilently(world.provider(world.identity()))).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
    });
    // Signing in again does not need a page: the user is still signed in at the identity provider.
    expect((await world.use(provider)).status).toBe(200);
    expect(world.pages).toHaveLength(1);
  });
});

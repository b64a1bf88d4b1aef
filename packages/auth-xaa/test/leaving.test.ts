import { describe, expect, it } from 'vitest';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { createWorld, later, useOwnDate, type World } from './support/world.js';

useOwnDate();

const sign = (world: World, provider: AuthProvider) =>
  provider.headers({ url: new URL(world.resource.url), method: 'POST' });
const KEY = (world: World): string => `xaa\n${world.resource.url}`;

describe('tokens that were derived from a sign-in end with it', () => {
  it('a sign-out at the identity provider drops the access tokens, in this process and in the store', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const refreshToken = (await world.store.get(`xaa-sign-in\nhost\n${world.idp.origin}/`))?.['refreshToken'];
    expect(refreshToken).toEqual(expect.any(String));
    await identity.signOut();
    expect(await sign(world, provider)).toEqual({});
    expect(await world.store.get(KEY(world))).toBeUndefined();
    expect(world.idp.requests).toContain('POST /token/revocation');
    expect(await world.idp.provider.RefreshToken.find(refreshToken)).toBeUndefined();
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('another user who signs in gets separate tokens', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const { authorization: old } = await sign(world, provider);
    await identity.signOut();
    world.login = 'other-user';
    await identity.signIn();
    expect(await sign(world, provider)).toEqual({});
    expect((await world.use(provider)).status).toBe(200);
    const { authorization } = await sign(world, provider);
    expect(authorization).not.toBe(old);
    expect((await world.as.find(authorization?.split(' ')[1] ?? ''))?.accountId).toBe('other-user');
  });

  it('the same without a sign-out before', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const before = await identity.sessionId();
    await identity.requireStepUp({ server: 'test', maxAge: 60 });
    world.login = 'other-user';
    await identity.signIn();
    expect(await identity.sessionId()).not.toBe(before);
    expect(await sign(world, provider)).toEqual({});
    expect(await world.store.get(KEY(world))).toBeUndefined();
  });

  it('does not use what a slow process stores for the previous user', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const stale = await world.store.get(KEY(world));
    await identity.signOut();
    world.login = 'other-user';
    await world.use(provider);
    const { authorization = '' } = await sign(world, provider);
    await world.store.set(KEY(world), stale ?? {});
    world.resource.dead.add(authorization.split(' ')[1] ?? '');
    expect((await world.useSilently(provider)).status).toBe(200);
    const token = world.resource.seen.at(-1)?.split(' ')[1] ?? '';
    expect((await world.as.find(token))?.accountId).toBe('other-user');
  });

  it('another process notices within a minute', async () => {
    await using world = await createWorld();
    const here = world.identity();
    const there = world.provider(world.identity());
    await world.use(world.provider(here));
    expect(await sign(world, there)).toHaveProperty('authorization');
    await here.signOut();
    later(61_000);
    expect(await sign(world, there)).toEqual({});
  });

  it('a refresh token that the identity provider has revoked ends the sign-in', async () => {
    await using world = await createWorld();
    const provider = world.provider(world.identity());
    await world.use(provider);
    const stored = await world.store.get(`xaa-sign-in\nhost\n${world.idp.origin}/`);
    const token = await world.idp.provider.RefreshToken.find(stored?.['refreshToken']);
    await token.destroy();
    later(2 * 3600_000);
    await expect(world.useSilently(provider)).rejects.toMatchObject({
      code: 'AUTH_REQUIRED',
      message: expect.stringContaining('invalid_grant'),
      cause: { code: 'AUTH_FAILED' },
    });
    expect(await world.store.get(KEY(world))).toBeUndefined();
  });

  it('the same user who signs in again keeps their tokens', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const before = await identity.sessionId();
    await identity.requireStepUp({ server: 'test', maxAge: 60 });
    await identity.signIn();
    expect(world.pages).toHaveLength(2);
    expect(await identity.sessionId()).toBe(before);
    expect(await sign(world, provider)).toHaveProperty('authorization');
  });
});

describe('signing out of one server', () => {
  it('persists although the tokens could be renewed silently, and for other processes too', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    await world.use(provider);
    const { authorization = '' } = await sign(world, provider);
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

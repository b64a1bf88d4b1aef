import { describe, expect, it } from 'vitest';
import { type AuthChallenge, type AuthProvider, AuthRequiredError } from '@mcp-fittings/client-core';
import { createWorld, later, useOwnDate, type World } from './support/world.js';

const DAY = 86_400_000;

useOwnDate();

/** The sign-in that is required; undefined when the request succeeds. */
async function asks(world: World, provider: AuthProvider): Promise<AuthChallenge | undefined> {
  try {
    await world.useSilently(provider);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthRequiredError)) throw error;
    return error.challenge;
  }
}

describe('a sign-in of another process at the identity provider', () => {
  it('is noticed at once by a process without a sign-in, and is sufficient', async () => {
    await using world = await createWorld();
    const waiting = world.provider(world.identity());
    const challenge = await asks(world, waiting);
    expect(challenge).toBeDefined();
    expect(await waiting.hasNewSignIn?.(challenge)).toBe(false);
    await world.use(world.provider(world.identity()));
    expect(await waiting.hasNewSignIn?.(challenge)).toBe(true);
    expect((await world.useSilently(waiting)).status).toBe(200);
    expect(world.pages).toHaveLength(1);
  });

  it('is noticed after the sign-in has ended, with the same user', async () => {
    await using world = await createWorld();
    const waiting = world.provider(world.identity());
    await world.use(waiting);
    later(30 * DAY);
    const challenge = await asks(world, waiting);
    expect(challenge).toBeDefined();
    expect(await waiting.hasNewSignIn?.(challenge)).toBe(false);
    await world.use(world.provider(world.identity()));
    expect(await waiting.hasNewSignIn?.(challenge)).toBe(true);
    expect((await world.useSilently(waiting)).status).toBe(200);
    expect(world.pages).toHaveLength(2);
  });

  it('does not count for a server from which the user has signed out', async () => {
    await using world = await createWorld();
    const provider = world.provider(world.identity());
    await world.use(provider);
    await provider.signOut?.();
    const challenge = await asks(world, provider);
    expect(challenge).toBeDefined();
    expect(await provider.hasNewSignIn?.(challenge)).toBe(false);
    await world.use(world.provider(world.identity()));
    expect(await provider.hasNewSignIn?.(challenge)).toBe(false);
  });
});

describe('the identity of the credentials', () => {
  it('is an opaque id of the sign-in, the same in every process, and different for another user', async () => {
    await using world = await createWorld();
    const identity = world.identity();
    const provider = world.provider(identity);
    expect(await provider.identity?.()).toBeUndefined();
    await world.use(provider);
    const name = await provider.identity?.();
    expect(name).toMatch(/./);
    expect(name).not.toContain('person');
    expect(world.resource.seen.join()).not.toContain(name);
    expect(await world.provider(world.identity()).identity?.()).toBe(name);
    await provider.signOut?.();
    expect(await provider.identity?.()).toBeUndefined();
    await identity.signOut();
    world.login = 'other-user';
    await world.use(provider);
    expect(await provider.identity?.()).toMatch(/./);
    expect(await provider.identity?.()).not.toBe(name);
  });
});

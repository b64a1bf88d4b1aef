import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { authorizedFetch } from '@mcp-fittings/auth-oauth';
import { kill, refreshes, ROUNDS } from './support/four-processes.js';
import { createWorld, type World } from './support/world.js';

/** Strict rotation: using a refresh token twice ends the whole sign-in. */
describe('twenty concurrent calls with an expired token, at a strictly rotating server', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld({ accessTokenTtl: 86_400 });
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const twenty = async (providers: readonly AuthProvider[]): Promise<readonly number[]> => {
    const calls = providers.map((provider) => authorizedFetch(provider, { url: world.resource.url }));
    const responses = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        calls[n % calls.length]?.(world.resource.url, { method: 'POST', body: '{}' }),
      ),
    );
    return responses.map((response) => response?.status ?? 0);
  };

  it(`refused with 401: 20 of 20 get through with one refresh, ${ROUNDS} times`, async () => {
    // The provider's clock advances, so that a token is not refused right after it was renewed.
    let now = Date.now();
    const provider = world.provider({ clock: { ...systemClock, now: () => now } });
    await world.use(provider);
    for (let round = 1; round <= ROUNDS; round++) {
      kill(world);
      now += 60_000;
      expect(await twenty([provider])).toEqual(Array.from({ length: 20 }, () => 200));
      expect(refreshes(world)).toBe(round);
    }
  });

  it(`expired by the clock: 20 of 20 get through with one refresh and no refused request, ${ROUNDS} times`, async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const provider = world.provider({ clock });
    await world.use(provider);
    for (let round = 1; round <= ROUNDS; round++) {
      kill(world);
      const before = world.resource.seen.length;
      now += 86_400_000;
      expect(await twenty([provider])).toEqual(Array.from({ length: 20 }, () => 200));
      expect(refreshes(world)).toBe(round);
      expect(world.resource.seen.length - before).toBe(20);
    }
  });

  it.each([
    ['refused', 60_000],
    ['expired by the clock', 86_400_000],
  ])('four providers that share a store refresh a token once that is %s, 10 times', async (_, passes) => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const providers = Array.from({ length: 4 }, () => world.provider({ clock }));
    for (const provider of providers) await world.use(provider);
    for (let round = 1; round <= 10; round++) {
      kill(world);
      now += passes;
      expect(await twenty(providers)).toEqual(Array.from({ length: 20 }, () => 200));
      expect(refreshes(world)).toBe(round);
    }
  });
});

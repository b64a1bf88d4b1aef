import { describe, expect, it } from 'vitest';
import { createWorld, type World } from './support/world.js';

const MFA = 'urn:company:mfa';
const DEMAND = { error: 'insufficient_user_authentication', acr_values: MFA, max_age: 300 };

/** Refuses until the user has seen a page that asks for more. */
const untilStronger = (world: World) => () =>
  world.pages.at(-1)?.searchParams.get('acr_values') === MFA ? undefined : DEMAND;

describe('step-up', () => {
  it.each(['idp', 'as'] as const)(
    '%s requires a stronger sign-in: one more page, then it succeeds',
    async (who) => {
      await using world = await createWorld();
      world[who].policy = untilStronger(world);
      const identity = world.identity();
      await identity.signIn();
      const provider = world.provider(identity);
      await expect(world.useSilently(provider)).rejects.toMatchObject({
        code: 'AUTH_REQUIRED',
        message: `The server "test" requires a new sign-in at ${world.idp.origin} (with "${MFA}", at most 300 seconds old).`,
        details: { acrValues: MFA, maxAge: 300 },
      });
      expect(world.pages).toHaveLength(1);
      expect((await world.use(provider)).status).toBe(200);
      expect(world.pages).toHaveLength(2);
      expect(world.pages[1]?.searchParams.get('max_age')).toBe('300');
    },
  );

  it('does not ask again before the user has signed in', async () => {
    await using world = await createWorld();
    world.idp.policy = () => DEMAND;
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity);
    world.forgetRequests();
    for (let n = 0; n < 5; n++) {
      await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    }
    expect(world.tokenRequests()).toEqual(['idp token-exchange']);
  });

  it('fails when the stronger sign-in is not strong enough', async () => {
    await using world = await createWorld();
    world.idp.policy = () => DEMAND;
    await expect(world.use(world.provider(world.identity()))).rejects.toMatchObject({
      code: 'AUTH_EXCHANGE_FAILED',
      details: { oauthError: 'insufficient_user_authentication' },
    });
    expect(world.pages).toHaveLength(2);
  });

  it('one sign-in is enough when the server requires a stronger one during the sign-in', async () => {
    await using world = await createWorld();
    world.idp.policy = untilStronger(world);
    const provider = world.provider(world.identity());
    expect((await world.use(provider)).status).toBe(200);
    expect(world.pages.map((page) => page.searchParams.get('acr_values'))).toEqual([null, MFA]);
  });

  it('a sign-out ends the requirement: the next person is asked for an ordinary sign-in', async () => {
    await using world = await createWorld();
    world.idp.policy = () => DEMAND;
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity);
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await identity.signOut();
    await identity.signIn();
    expect(world.pages.map((page) => page.searchParams.get('acr_values'))).toEqual([null, null]);
  });

  it('RFC 9470 the server itself requires it for every older token', async () => {
    await using world = await createWorld({ servers: 2 });
    const [one, two] = world.resources;
    const identity = world.identity();
    const first = world.provider(identity);
    const second = world.provider(identity, { url: two?.url ?? '', server: 'second' });
    await world.use(first);
    await world.use(second, two?.url);
    for (const resource of world.resources) {
      const old = [...resource.seen];
      resource.challenge = (text) =>
        `${text}, error="insufficient_user_authentication", acr_values="${MFA}", max_age="300"`;
      for (const value of old) resource.dead.add(value?.split(' ')[1] ?? '');
    }
    await expect(world.useSilently(first)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect((await world.use(first)).status).toBe(200);
    expect(one?.seen.length).toBeGreaterThan(1);
    // The user has done it already: a newer token is enough.
    expect((await world.useSilently(second, two?.url)).status).toBe(200);
    expect(world.pages).toHaveLength(2);
  });
});

import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { AuthRequiredError } from '@mcp-fittings/client-core';
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

describe('step-up of a user whom the host signs in', () => {
  const idToken = (world: World, claims: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    new SignJWT({ iss: world.idp.origin, aud: 'host', sub: 'one', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .setIssuedAt()
      .setExpirationTime('2h')
      .sign(world.idp.privateKey);

  /** Makes `who` refuse what was derived from an ID token without MFA. */
  function demandMfa(world: World, who: 'idp' | 'as' | 'server'): void {
    const { idp, as, resource } = world;
    let acr: unknown;
    idp.policy = ({ subject_token: token }) => {
      acr = decodeJwt(String(token))['acr'];
      return who !== 'idp' || acr === MFA ? undefined : DEMAND;
    };
    idp.claims = (claims) => ({ ...claims, acr });
    as.policy = ({ assertion }) =>
      who !== 'as' || decodeJwt(String(assertion))['acr'] === MFA ? undefined : DEMAND;
    const find = resource.find.bind(resource);
    const acrs = new Map<string, unknown>();
    resource.find = async (token) => {
      const found = await find(token);
      if (!acrs.has(token)) acrs.set(token, acr);
      const isWeak = who === 'server' && found !== undefined && acrs.get(token) !== MFA;
      resource.challenge = (text) =>
        isWeak ? `${text}, error="${DEMAND.error}", acr_values="${MFA}", max_age="300"` : text;
      return isWeak ? undefined : found;
    };
  }

  it.each(['idp', 'as', 'server'] as const)(
    '%s requires it until the host returns the token of another sign-in',
    async (who) => {
      await using world = await createWorld();
      demandMfa(world, who);
      let token = await idToken(world);
      const identity = world.identity({
        interaction: undefined,
        subjectToken: () => ({ type: 'id_token', token }),
      });
      const provider = world.provider(identity);
      const refused = async (): Promise<AuthRequiredError> => {
        const use = (): Promise<unknown> => world.useSilently(provider).catch((reason: unknown) => reason);
        const first = await use();
        // The server refuses the new token too; its second refusal is not repeated.
        const error = first instanceof Response && first.status === 401 ? await use() : first;
        if (!(error instanceof AuthRequiredError)) throw new Error('no sign-in is required');
        expect(error.details).toMatchObject({ acrValues: MFA, maxAge: 300 });
        return error;
      };
      await refused();
      // The host renews the token, without a stronger sign-in.
      token = await idToken(world, { jti: 'renewed' });
      const { challenge } = await refused();
      expect(await provider.hasNewSignIn?.(challenge)).toBe(false);
      world.forgetRequests();
      await refused();
      if (who === 'idp') expect(world.tokenRequests()).toEqual([]);

      token = await idToken(world, { acr: MFA });
      expect(await provider.hasNewSignIn?.(challenge)).toBe(true);
      expect((await world.useSilently(provider)).status).toBe(200);
      if (who !== 'server' || challenge === undefined) return;
      // A refusal of the old token that arrives late.
      expect(await provider.onChallenge(challenge)).toBe('retry');
    },
  );

  it('signIn() needs no page when the host returns the token of another sign-in, or another user', async () => {
    await using world = await createWorld();
    demandMfa(world, 'idp');
    let token = await idToken(world);
    const identity = world.identity({
      interaction: undefined,
      subjectToken: () => ({ type: 'id_token', token }),
    });
    const provider = world.provider(identity);
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await expect(identity.signIn()).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    token = await idToken(world, { sub: 'two' });
    await identity.signIn();
    token = await idToken(world, { acr: MFA });
    await provider.signIn?.({});
    expect((await world.useSilently(provider)).status).toBe(200);
  });
});

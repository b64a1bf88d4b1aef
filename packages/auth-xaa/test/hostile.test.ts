import { generateKeyPairSync, KeyObject, sign } from 'node:crypto';
import { inspect } from 'node:util';
import { exportSPKI, SignJWT, UnsecuredJWT, type CryptoKey } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '@mcp-fittings/store-file';
import { createWorld, later, SECRET, useOwnDate, type World } from './support/world.js';

let world: World;
useOwnDate();
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const JWT = /eyJ[\w-]+\.[\w-]+\.[\w-]+/;
const SIGN_IN = (): string => `xaa-sign-in\nhost\n${world.idp.origin}/`;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The same JWT with other claims, signed again. */
function resigned(token: unknown, changes: object, key: CryptoKey): string {
  const claims: object = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
  const text = `${part({ alg: 'RS256', kid: 'key-1' })}.${part({ ...claims, ...changes })}`;
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), KeyObject.from(key)).toString('base64url')}`;
}

/** A signed-in user, one request, and its outcome. */
async function failureOf(): Promise<unknown> {
  const identity = world.identity();
  await identity.signIn();
  const error: unknown = await world
    .useSilently(world.provider(identity))
    .then(({ status }) => status)
    .catch((reason: unknown) => reason);
  // Whatever the outcome, the token is not revealed.
  const shown = inspect(error, { depth: 9 }) + JSON.stringify(error) + world.lines.join('\n');
  expect(shown).not.toMatch(JWT);
  expect(shown).not.toContain(SECRET);
  return error;
}

async function expectRefused(): Promise<void> {
  expect(await failureOf()).toMatchObject({ code: 'AUTH_EXCHANGE_FAILED' });
  expect(world.as.tokenRequests).toEqual([]);
  expect(world.idp.tokenRequests.filter(({ grant }) => grant.endsWith(':token-exchange'))).toHaveLength(1);
}

describe('a response without an ID-JAG is not sent anywhere', () => {
  it.each<[string, object]>([
    ['an access token', { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' }],
    ['another spelling', { issued_token_type: 'urn:ietf:params:oauth:token-type:ID-JAG' }],
    ['a Bearer token', { token_type: 'Bearer' }],
  ])('%s', async (_, changes) => {
    world.idp.reply = (reply) => ({ ...reply, ...changes });
    await expectRefused();
  });
});

describe('an ID-JAG for another target is not sent anywhere', () => {
  it.each<[string, object]>([
    ['for another authorization server', { aud: 'https://as.example' }],
    ['for ours with a slash', { aud: 'AS/' }],
    ['for two of them', { aud: ['AS', 'https://as.example'] }],
    ['without an audience', { aud: undefined }],
    ['for another client', { client_id: 'another' }],
    ['for no client', { client_id: undefined }],
    ['for another resource', { resource: 'https://mcp.example/' }],
    ['for two resources', { resource: ['RESOURCE', 'https://mcp.example/'] }],
    ['of another issuer', { iss: 'https://idp.example' }],
    ['that has expired', { exp: 1 }],
    ['that never expires', { exp: undefined }],
    ['that expires at a word', { exp: 'never' }],
  ])('%s', async (_, changes) => {
    const text = JSON.stringify(changes, (_key, value: unknown) => value ?? null)
      .replaceAll('AS', world.as.origin)
      .replaceAll('RESOURCE', world.resource.url);
    const changed: Record<string, unknown> = JSON.parse(text);
    world.idp.claims = (claims) =>
      Object.fromEntries(Object.entries({ ...claims, ...changed }).filter(([, value]) => value !== null));
    await expectRefused();
  });

  it('uses one without a resource, as the draft allows', async () => {
    world.idp.claims = (claims) => ({ ...claims, resource: undefined });
    // The authorization server of these tests requires it; the point is that it is asked.
    await failureOf();
    expect(world.as.tokenRequests).toHaveLength(1);
  });

  it('sends an encrypted one to its audience', async () => {
    world.idp.reply = (reply) => ({ ...reply, access_token: `${part({ alg: 'dir' })}..aXY.Y2lwaGVy.dGFn` });
    expect(await failureOf()).toMatchObject({ code: 'AUTH_REJECTED' });
    expect(world.as.assertions).toHaveLength(1);
  });
});

describe('an invalid ID token is not used', () => {
  const forge = (changes: object): void => {
    world.idp.rewrite.set('/token', (reply) => ({
      ...reply,
      id_token: resigned(reply['id_token'], changes, world.idp.privateKey),
    }));
  };

  it.each<[string, object]>([
    ['of another issuer', { iss: 'https://idp.example' }],
    ['for another client', { aud: 'another' }],
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['that has expired', { exp: 1 }],
  ])('%s', async (_, changes) => {
    forge(changes);
    await expect(world.identity().signIn()).rejects.toMatchObject({ code: 'AUTH_FAILED' });
    expect(await world.store.get(SIGN_IN())).toBeUndefined();
    // The same, created in the same way, and valid.
    forge({});
    await world.identity().signIn();
  });

  it('requires a sign-in for an expired one of the host, and rejects one of another client', async () => {
    await world.identity().signIn();
    const stored = await world.store.get(SIGN_IN());
    const token = String(stored?.['accessToken']);
    const use = (given: string): Promise<Response> => {
      const store = memoryStore();
      const subjectToken = () => ({ type: 'id_token', token: given }) as const;
      return world.useSilently(world.provider(world.identity({ store, subjectToken }), { store }));
    };
    const foreign = `${part({ alg: 'RS256' })}.${part({ iss: 'https://idp.example', aud: 'host' })}.c2ln`;
    world.forgetRequests();
    await expect(use(foreign)).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    await expect(use('x'.repeat(1_000_000))).rejects.toMatchObject({ code: 'CALLBACK_FAILED' });
    later(2 * 3600_000);
    await expect(use(token)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(world.tokenRequests()).toEqual([]);
  });

  it('a renewed one of another user ends the sign-in', async () => {
    const provider = world.provider(world.identity());
    await world.use(provider);
    const other = await new SignJWT({ sub: 'other-user' })
      .setProtectedHeader({ alg: 'RS256', kid: 'key-1' })
      .setIssuer(world.idp.origin)
      .setAudience('host')
      .setIssuedAt()
      .setExpirationTime('5h')
      .sign(world.idp.privateKey);
    world.idp.rewrite.set('/token', (reply) => ({ ...reply, id_token: other }));
    later(2 * 3600_000);
    await expect(world.useSilently(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(world.idp.tokenRequests.at(-1)?.grant).toBe('refresh_token');
  });
});

describe('an ID-JAG is sent to its authorization server and nowhere else', () => {
  it('not to the server, not to another authorization server, not to the store', async () => {
    await using other = await createWorld();
    world.resource.issuers = [world.as.origin];
    const provider = world.provider(world.identity());
    const set = vi.spyOn(world.store, 'set');
    await world.use(provider);
    // Now the server names another authorization server.
    world.resource.issuers = [other.as.origin];
    world.resource.find = async () => undefined;
    // The cached discovery is older than the provider trusts.
    later(11 * 60_000);
    await world.useSilently(provider).catch(() => undefined);
    const written = set.mock.calls.map((call) => JSON.stringify(call));
    // S11: the client secret belongs to the first one, so no ID-JAG is requested for the second.
    expect(world.idp.assertions).toHaveLength(1);
    expect(other.as.tokenRequests).toEqual([]);
    expect(written.length).toBeGreaterThan(0);
    for (const assertion of world.idp.assertions) {
      expect(world.resource.seen.join()).not.toContain(assertion);
      expect(written.join()).not.toContain(assertion);
    }
    expect([...world.idp.requests, ...world.as.requests].join()).not.toMatch(JWT);
  });
});

describe('a refused ID-JAG', () => {
  it('is replaced once if it was reused, and then none is reused there', async () => {
    const provider = world.provider(world.identity());
    await world.use(provider);
    for (let round = 0; round < 2; round++) {
      later(60_000);
      await world.store.delete(`xaa\n${world.resource.url}`);
      for (const value of world.resource.seen) world.resource.dead.add(value?.split(' ')[1] ?? '');
      world.forgetRequests();
      expect((await world.useSilently(provider)).status).toBe(200);
      const refused = world.as.tokenRequests.filter(({ status }) => status === 400);
      expect(refused).toHaveLength(round === 0 ? 1 : 0);
      expect(world.idp.tokenRequests).toHaveLength(1);
    }
  });

  it('is not replaced if it was new', async () => {
    world.as.policy = () => ({ error: 'invalid_grant' });
    expect(await failureOf()).toMatchObject({
      code: 'AUTH_REJECTED',
      details: { oauthError: 'invalid_grant' },
    });
    expect(world.as.tokenRequests).toHaveLength(1);
  });
});

describe('fewer scopes than requested', () => {
  it.each(['idp', 'as'] as const)('from %s are logged, and not requested again', async (who) => {
    if (who === 'idp') world.idp.reply = (reply) => ({ ...reply, scope: 'openid' });
    else world.as.scope = () => 'other';
    expect(await failureOf()).toBe(200);
    expect(world.lines.join()).toContain('missing: tools');
    expect(world.tokenRequests()).toEqual(['idp authorization_code', 'idp token-exchange', 'as jwt-bearer']);
    if (who === 'idp') expect(world.as.tokenRequests[0]?.body.get('scope')).toBe('openid');
  });

  it('a server that requires them is reported once', async () => {
    world.as.scope = () => 'other';
    world.resource.needs = 'tools';
    expect(await failureOf()).toMatchObject({ code: 'AUTH_SCOPE_INSUFFICIENT' });
    expect(world.as.tokenRequests).toHaveLength(1);
  });
});

describe('metadata', () => {
  const announce = (profiles: unknown): void => {
    world.as.rewrite.set('/.well-known/oauth-authorization-server', (metadata) => ({
      ...metadata,
      authorization_grant_profiles_supported: profiles,
    }));
  };

  it.each([[['urn:example:other']], [[]]])(
    'a list without ID-JAG means unsupported: %j',
    async (profiles) => {
      announce(profiles);
      expect(await failureOf()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
      expect(world.tokenRequests()).toEqual(['idp authorization_code']);
    },
  );

  it('without a list, `unannounced` decides', async () => {
    announce(undefined);
    const identity = world.identity();
    await identity.signIn();
    await expect(
      world.useSilently(world.provider(identity, { unannounced: 'refuse' })),
    ).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(world.as.tokenRequests).toEqual([]);
    expect((await world.useSilently(world.provider(identity))).status).toBe(200);
  });

  it('does not ask an identity provider that does not issue ID-JAGs', async () => {
    world.idp.rewrite.set('/.well-known/oauth-authorization-server', (metadata) => ({
      ...metadata,
      identity_chaining_requested_token_types_supported: ['urn:example:other'],
    }));
    await expect(world.identity().signIn()).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(world.pages).toEqual([]);
  });

  it('unsupported_grant_type means unsupported', async () => {
    world.as.policy = () => ({ error: 'unsupported_grant_type' });
    expect(await failureOf()).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
  });
});

describe('forged tokens', () => {
  const { privateKey: stranger } = generateKeyPairSync('rsa', { modulusLength: 2048 });

  const claimsOf = (token: unknown): Record<string, unknown> =>
    JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());

  describe('as an ID token', () => {
    type Forge = (claims: Record<string, unknown>) => Promise<string> | string;
    const good: Forge = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(world.idp.privateKey);

    /** The outcome of a renewal with this ID token. A refresh does not need a nonce, so the token can be created in advance. */
    async function renewWith(forge: Forge): Promise<unknown> {
      const provider = world.provider(world.identity());
      await world.use(provider);
      const now = Math.floor(Date.now() / 1000);
      const { nonce: _, ...claims } = claimsOf((await world.store.get(SIGN_IN()))?.['accessToken']);
      const forged = await forge({ ...claims, exp: now + 36_000 });
      world.idp.rewrite.set('/token', (reply) => ({
        ...reply,
        ...('id_token' in reply && { id_token: forged }),
      }));
      later(2 * 3600_000);
      world.forgetRequests();
      return world.useSilently(provider).then(
        ({ status }) => status,
        (error: unknown) => error,
      );
    }

    it('uses a valid one, created in the same way', async () => {
      expect(await renewWith(good)).toBe(200);
    });

    it.each<[string, Forge]>([
      ['alg none', (claims) => new UnsecuredJWT(claims).encode()],
      [
        'HS256 with the public key',
        async (claims) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: 'HS256', kid: 'key-1' })
            .sign(new TextEncoder().encode(await exportSPKI(world.idp.publicKey))),
      ],
      [
        'signed by a stranger',
        (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(stranger),
      ],
      [
        'unknown crit',
        (claims) =>
          new SignJWT(claims)
            .setProtectedHeader({ alg: 'RS256', kid: 'key-1', crit: ['x'], x: 1 })
            .sign(world.idp.privateKey, { crit: { x: true } }),
      ],
      ['1 MB', async (claims) => good({ ...claims, x: 'x'.repeat(1 << 20) })],
      ['no JWT', () => 'not a token'],
    ])('%s', async (_, forge) => {
      const error = await renewWith(forge);
      expect(error).toBeInstanceOf(Error);
      expect(['AUTH_EXCHANGE_FAILED', 'MESSAGE_TOO_LARGE']).toContain((error as { code?: string }).code);
      expect(world.tokenRequests()).toEqual(['idp refresh_token']);
    });

    it.each([408, 429, 503])(
      'keeps the sign-in while the signing keys cannot be fetched: %i',
      async (status) => {
        const provider = world.provider(world.identity());
        await world.use(provider);
        later(2 * 3600_000);
        world.idp.fault = { path: '/jwks', status };
        expect((await world.useSilently(provider)).status).toBe(200);
        expect(world.idp.tokenRequests.at(-1)?.body.get('subject_token_type')).toMatch(/:refresh_token$/);
        world.idp.fault = undefined;
        later(2 * 3600_000);
        expect((await world.useSilently(provider)).status).toBe(200);
        expect(world.pages).toHaveLength(1);
      },
    );
  });

  describe('as an ID-JAG', () => {
    it.each<[string, (token: string) => string]>([
      ['alg none', (token) => `${part({ alg: 'none', typ: 'oauth-id-jag+jwt' })}.${token.split('.')[1]}.`],
      ['HS256', (token) => `${part({ alg: 'HS256', typ: 'oauth-id-jag+jwt' })}.${token.split('.')[1]}.c2ln`],
      [
        'unknown crit',
        (token) =>
          `${part({ alg: 'RS256', typ: 'oauth-id-jag+jwt', crit: ['x'], x: 1 })}.${token.split('.')[1]}.c2ln`,
      ],
      ['an ID token', (token) => `${part({ alg: 'RS256', typ: 'JWT' })}.${token.split('.')[1]}.c2ln`],
      ['no typ', (token) => `${part({ alg: 'RS256' })}.${token.split('.')[1]}.c2ln`],
      ['100 KB', (token) => `${token}${'x'.repeat(100_000)}`],
      ['a header that is not an object', (token) => `${part(['RS256'])}.${token.split('.')[1]}.c2ln`],
      ['claims that are none', (token) => `${token.split('.')[0]}.${part('x')}.c2ln`],
      ['no JWT', () => 'not a token\r\nx: y'],
    ])('%s', async (_, forge) => {
      world.idp.reply = (reply) => ({ ...reply, access_token: forge(String(reply['access_token'])) });
      await expectRefused();
    });

    it('1 MB', async () => {
      world.idp.reply = (reply) => ({ ...reply, access_token: 'x'.repeat(1 << 20) });
      expect(await failureOf()).toBeInstanceOf(Error);
      expect(world.as.tokenRequests).toEqual([]);
    });
  });
});

describe('other limits', () => {
  it('a refusal of one server does not end the sign-in for the others', async () => {
    await using more = await createWorld({ servers: 2 });
    const [bad, good] = more.resources;
    more.idp.policy = ({ resource }) => (resource === bad?.url ? { error: 'invalid_grant' } : undefined);
    const identity = more.identity();
    await identity.signIn();
    const first = more.provider(identity);
    for (let n = 0; n < 3; n++) {
      later(120_000);
      await expect(more.useSilently(first)).rejects.toMatchObject({ code: 'AUTH_EXCHANGE_FAILED' });
    }
    const second = more.provider(identity, { url: good?.url ?? '', server: 'good' });
    expect((await more.useSilently(second, good?.url)).status).toBe(200);
    expect(more.pages).toHaveLength(1);
  });

  it('refuses plain http endpoints on other machines', async () => {
    world.idp.rewrite.set('/.well-known/oauth-authorization-server', (metadata) => ({
      ...metadata,
      token_endpoint: 'http://idp.example/token',
    }));
    await expect(world.identity().signIn()).rejects.toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
  });
});

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { memoryStore } from '@mcp-fittings/store-file';
import { authProviderSuite } from '@mcp-fittings/testkit/auth-provider';
import { authorizedFetch, oauth } from '@mcp-fittings/auth-oauth';
import {
  createTokenExchangeProvider,
  tokenExchange,
  type TokenExchangeOptions,
  type TokenExchangePluginOptions,
} from '@mcp-fittings/auth-oauth/token-exchange';
import { startExchangeServer, type TestExchangeServer } from './support/exchange-server.mjs';
import { startFalseServer } from './support/false-server.js';
import { createProofChecker } from './support/proof-checker.js';
import { fixtureOf, startResource } from './support/resource-server.js';

const PROGRAM = 'https://gateway.example/mcp';

/** A server, and an authorization server that exchanges tokens of people of the program for tokens of it. */
async function createExchangingWorld() {
  let offset = 0;
  let as: TestExchangeServer | undefined;
  const now = (): number => Date.now() + offset;
  const resource = await startResource(() => as);
  as = await startExchangeServer({ audience: () => PROGRAM, targets: () => [resource.url], now });
  const started = as;
  resource.issuers = [as.origin];
  const clock = { ...systemClock, now };
  const optionsFor = (more: Partial<TokenExchangeOptions> = {}): TokenExchangeOptions => ({
    url: resource.url,
    server: 'notes',
    issuer: started.origin,
    clientId: 'gateway',
    clientSecret: 'canary-gateway-secret',
    clock,
    subjectToken: async () => ({ type: 'access_token', token: await started.tokenOf('ann') }),
    ...more,
  });
  return {
    as: started,
    resource,
    /** Creates providers of entries for these servers, as a host does. */
    entries(servers: TokenExchangePluginOptions['servers'], more: Partial<TokenExchangePluginOptions> = {}) {
      const { url: _url, server: _server, clock: _clock, ...exchange } = optionsFor();
      const plugin = tokenExchange({ ...exchange, servers, ...more });
      return (entry: object, principal?: string) =>
        plugin.create({ name: 'notes', config: JSON.parse(JSON.stringify(entry)), principal }, { clock });
    },
    provider: (more?: Partial<TokenExchangeOptions>) => createTokenExchangeProvider(optionsFor(more)),
    advance: (ms: number) => void (offset += ms),
    use: async (provider: ReturnType<typeof createTokenExchangeProvider>): Promise<Response> =>
      authorizedFetch(provider, { url: resource.url })(resource.url, { method: 'POST', body: '{}' }),
    /** Claims of the token that the server saw last. */
    seen: async () => started.read(resource.seen.at(-1)?.replace('Bearer ', '') ?? ''),
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await resource[Symbol.asyncDispose]();
    },
  };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );

describe('a token exchange', () => {
  it('happens once for twenty calls, and again when the token expires, with the token of then', async () => {
    await using world = await createExchangingWorld();
    const tokens = [await world.as.tokenOf('ann'), await world.as.tokenOf('ann', { exp: 4e9 })];
    const [first, second] = tokens;
    const provider = world.provider({
      subjectToken: () => ({ type: 'access_token', token: tokens[0] ?? '' }),
    });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await world.use(provider)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(world.as.tokenRequests).toHaveLength(1);
    tokens.shift();
    world.advance(299_000);
    expect((await world.use(provider)).status).toBe(200);
    expect(world.as.tokenRequests.map(({ body }) => body.get('subject_token'))).toEqual([first, second]);
    expect(Object.fromEntries(world.as.tokenRequests[0]?.body ?? [])).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: first,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      resource: world.resource.url,
      scope: 'tools',
    });
    expect(await world.seen()).toMatchObject({
      sub: 'ann',
      aud: world.resource.url,
      act: { sub: 'gateway' },
    });
    for (const token of [first, second]) expect(world.resource.seen.join()).not.toContain(token);
  });

  it('names the actor, and keeps those before it', async () => {
    await using world = await createExchangingWorld();
    const { as } = world;
    const provider = world.provider({
      subjectToken: async () => ({
        type: 'access_token',
        token: await as.tokenOf('ann', { act: { sub: 'portal' } }),
      }),
      actorToken: async () => ({ type: 'access_token', token: await as.tokenOf('replica-7') }),
    });
    expect((await world.use(provider)).status).toBe(200);
    expect(await world.seen()).toMatchObject({
      sub: 'ann',
      act: { sub: 'replica-7', act: { sub: 'portal' } },
    });
  });

  it('asks for a service by name where the authorization server knows no URLs', async () => {
    await using world = await createExchangingWorld();
    world.as.names = new Map([['notes-api', world.resource.url]]);
    const provider = world.provider({ audience: 'notes-api', resource: false });
    expect((await world.use(provider)).status).toBe(200);
    const { body } = world.as.tokenRequests[0] ?? {};
    expect([body?.get('audience'), body?.get('resource')]).toEqual(['notes-api', null]);
  });

  it('binds the new token to a key of the program, if the server demands it', async () => {
    await using world = await createExchangingWorld();
    world.resource.dpopOnly = true;
    world.resource.proofs = createProofChecker();
    const provider = world.provider();
    for (const _call of [1, 2]) expect((await world.use(provider)).status).toBe(200);
    expect(world.resource.seen.at(-1)).toMatch(/^DPoP /);
    expect(world.resource.proofs.verdicts.at(-1)).toBe('good');
    expect(world.as.tokenRequests).toHaveLength(1);
  });

  it('asks for the scope that the server demands', async () => {
    await using world = await createExchangingWorld();
    const provider = world.provider();
    await world.use(provider);
    world.resource.needs = 'admin';
    expect((await world.use(provider)).status).toBe(200);
    expect((await world.seen())?.scope).toBe('tools admin');
  });

  it.each([
    ['invalid_target', 'AUTH_EXCHANGE_FAILED', 'request tokens for http://127.0.0.1'],
    ['invalid_scope', 'AUTH_SCOPE_INSUFFICIENT', 'grant tools'],
    ['insufficient_scope', 'AUTH_SCOPE_INSUFFICIENT', 'grant tools'],
    ['unauthorized_client', 'AUTH_EXCHANGE_FAILED', 'let "gateway" exchange tokens'],
    ['invalid_request', 'AUTH_REQUIRED', 'Sign in again'],
  ])('tells the user about %s, without a token', async (reason, code, hint) => {
    await using world = await createExchangingWorld();
    const token = await world.as.tokenOf('ann');
    const actor = await world.as.tokenOf('replica-7');
    world.as.refuseWith = (parameters) => ({
      error: reason,
      error_description: `not ${parameters['subject_token']} of ${parameters['actor_token']}`,
    });
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const provider = world.provider({
      subjectToken: () => ({ type: 'access_token', token }),
      actorToken: () => ({ type: 'access_token', token: actor }),
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const error = await failureOf(world.use(provider));
    expect(error).toMatchObject({
      code,
      server: 'notes',
      details: { oauthError: reason },
      hint: expect.stringContaining(hint),
    });
    const shown = inspect([error, lines], { depth: 12, showHidden: true }) + JSON.stringify(error);
    for (const secret of [token, actor, 'canary-gateway-secret']) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(secret.slice(-20));
    }
  });

  it('waits for a token of the user, and for another one than that which was refused', async () => {
    await using world = await createExchangingWorld();
    let token: string | undefined;
    const provider = world.provider({
      subjectToken: () => (token === undefined ? undefined : { type: 'access_token', token }),
    });
    const waits = () => provider.hasNewSignIn?.(undefined);
    expect(await failureOf(world.use(provider))).toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(world.as.tokenRequests).toHaveLength(0);
    expect(await waits()).toBe(false);
    token = await world.as.tokenOf('ann', { exp: 1 });
    expect(await waits()).toBe(true);
    expect(await failureOf(world.use(provider))).toMatchObject({
      code: 'AUTH_REQUIRED',
      details: { oauthError: 'invalid_grant' },
    });
    expect(await waits()).toBe(false);
    token = await world.as.tokenOf('ann', { aud: 'https://other.example' });
    expect(await failureOf(world.use(provider))).toMatchObject({ details: { oauthError: 'invalid_grant' } });
    token = await world.as.tokenOf('ann');
    expect(await waits()).toBe(true);
    expect((await world.use(provider)).status).toBe(200);
  });

  it('sends a refused token once in a while, however many calls there are', async () => {
    await using world = await createExchangingWorld();
    const { as } = world;
    const tokens = [await as.tokenOf('ann', { exp: 4e9 }), await as.tokenOf('ann', { exp: 4e9 })];
    let turn = 0;
    const provider = world.provider({
      subjectToken: () => ({ type: 'access_token', token: tokens[turn++ % 2] ?? '' }),
    });
    /** Makes twenty calls, with both tokens in turn. Returns their outcomes and the number of exchanges. */
    const twenty = async () => {
      const before = as.tokenRequests.length;
      const outcomes = new Set<unknown>();
      for (let call = 0; call < 20; call++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        outcomes.add(
          await world.use(provider).then(
            ({ status }) => status,
            ({ code }) => code,
          ),
        );
      }
      return [[...outcomes], as.tokenRequests.length - before];
    };
    expect(await twenty()).toEqual([[200], 1]);
    as.refuseWith = () => ({ error: 'invalid_grant' });
    // The new token is about to expire, and then has expired.
    world.advance(285_000);
    expect(await twenty()).toEqual([[200], 2]);
    world.advance(31_000);
    expect(await twenty()).toEqual([['AUTH_REQUIRED'], 2]);
    expect(await provider.hasNewSignIn?.(undefined)).toBe(false);
    // The administrator has changed something, and the tokens are the same.
    as.refuseWith = undefined;
    expect(await twenty()).toEqual([['AUTH_REQUIRED'], 0]);
    world.advance(31_000);
    expect(await provider.hasNewSignIn?.(undefined)).toBe(true);
    expect(await twenty()).toEqual([[200], 1]);
  });

  it.each(['invalid_scope', 'insufficient_scope', 'invalid_target'])(
    'sends another token at once, and the same one after a while, although one was refused with %s',
    async (error) => {
      await using world = await createExchangingWorld();
      const { as } = world;
      const [first, second] = [await as.tokenOf('ann', { exp: 4e9 }), await as.tokenOf('ann')];
      as.refuseWith = ({ subject_token: token }) => (token === first ? { error } : undefined);
      let token = first;
      const provider = world.provider({ subjectToken: () => ({ type: 'access_token', token }) });
      const use = () => failureOf(world.use(provider));
      for (let call = 0; call < 6; call++) {
        for (const _again of [1, 2]) expect(await use()).toMatchObject({ details: { oauthError: error } });
        world.advance(31_000);
      }
      expect(as.tokenRequests).toHaveLength(6);
      await use();
      token = second;
      expect(await use()).toBe('no failure');
    },
  );

  it('remembers few refused tokens', async () => {
    await using world = await createExchangingWorld();
    const token = (number: number) => `refused-${number}`;
    let number = 0;
    const provider = world.provider({ subjectToken: () => ({ type: 'access_token', token: token(number) }) });
    for (; number < 17; number++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await failureOf(world.use(provider))).toMatchObject({ code: 'AUTH_REQUIRED' });
    }
    number = 0;
    expect(await provider.hasNewSignIn?.(undefined)).toBe(true);
    number = 1;
    expect(await provider.hasNewSignIn?.(undefined)).toBe(false);
  });

  const TYPE = 'urn:ietf:params:oauth:token-type:';
  it.each([
    ['the token of the user', { access_token: 'subject-token', issued_token_type: `${TYPE}access_token` }],
    ['the token of the actor', { access_token: 'actor-token' }],
    ['a refresh token', { access_token: 'other', issued_token_type: `${TYPE}refresh_token` }],
    ['an ID token', { access_token: 'other', issued_token_type: `${TYPE}id_token` }],
  ])('sends the server nothing if the answer is %s', async (_, answer) => {
    await using collector = await startFalseServer();
    const { origin, url } = collector;
    collector.answers.set('/token', { body: { token_type: 'Bearer', expires_in: 300, ...answer } });
    const provider = createTokenExchangeProvider({
      url,
      issuer: origin,
      clientId: 'gateway',
      clientSecret: 'canary-gateway-secret',
      subjectToken: () => ({ type: 'access_token', token: 'subject-token' }),
      actorToken: () => ({ type: 'access_token', token: 'actor-token' }),
    });
    const send = authorizedFetch(provider, { url });
    expect(await failureOf(send(url, { method: 'POST', body: '{}' }))).toMatchObject({
      code: 'AUTH_EXCHANGE_FAILED',
    });
    const atServer = collector.asked.filter(({ line }) => line === 'POST /api');
    expect(atServer.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  it('sends nothing to an authorization server that the program does not name', async () => {
    await using world = await createExchangingWorld();
    const provider = world.provider({ issuer: 'https://login.example' });
    expect(await failureOf(world.use(provider))).toMatchObject({ code: 'AUTH_DISCOVERY_FAILED' });
    expect(world.as.tokenRequests).toHaveLength(0);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('canary'))],
    ['returns no token', () => ({ type: 'access_token', token: 'canary\r\nx: y' }) as const],
  ])('reports a callback that %s', async (_, subjectToken) => {
    await using world = await createExchangingWorld();
    const error = await failureOf(world.use(world.provider({ subjectToken })));
    expect(error).toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(String(error)).not.toContain('canary');
  });
});

describe('entries with the grant "token_exchange"', () => {
  it('send no token to a place of their own', async () => {
    await using world = await createExchangingWorld();
    await using collector = await startFalseServer();
    const { origin } = collector;
    // Its metadata pretend to be those of the issuer of the program.
    const metadata = { issuer: world.as.origin, token_endpoint: `${origin}/token` };
    collector.describe({ issuer: metadata });
    collector.answers.set('/metadata', { body: metadata });
    const create = world.entries({ [collector.url]: {} });
    for (const authServerMetadataUrl of [undefined, `${origin}/metadata`]) {
      const provider = create({
        url: collector.url,
        oauth: { grant: 'token_exchange', authServerMetadataUrl },
      });
      const challenge = { url: new URL(collector.url), status: 401 } as const;
      expect(await failureOf(provider?.onChallenge(challenge) ?? Promise.resolve())).toMatchObject({
        code: 'AUTH_DISCOVERY_FAILED',
      });
    }
    expect(collector.asked.length).toBeGreaterThan(0);
    expect(collector.asked.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });

  it('reach the issuer as the program says, and not by a proxy of their own', async () => {
    await using world = await createExchangingWorld();
    await using collector = await startFalseServer();
    const { url } = world.resource;
    const create = world.entries({ [url]: {} });
    const provider = create({ url, proxy: collector.origin, oauth: { grant: 'token_exchange' } });
    if (provider === undefined) throw new Error('no provider');
    const outcome = await failureOf(world.use(provider));
    expect(collector.asked).toEqual([]);
    expect(outcome).toBe('no failure');
    expect(world.as.tokenRequests).toHaveLength(1);
  });

  it('get tokens only for servers that the program lists, and as it says', async () => {
    await using world = await createExchangingWorld();
    const { url } = world.resource;
    world.as.names = new Map([['payroll', url]]);
    const listed = new URL(url);
    const create = world.entries({
      // The same URL, written in another way.
      [url.replace('http://', 'HTTP://')]: { audience: 'payroll', scopes: ['admin'], resource: false },
      'https://other.example/mcp': {},
    });
    const provider = create({ url, oauth: { grant: 'token_exchange' } });
    if (provider === undefined) throw new Error('no provider');
    expect((await world.use(provider)).status).toBe(200);
    const { body } = world.as.tokenRequests[0] ?? {};
    expect(['audience', 'scope', 'resource'].map((name) => body?.get(name))).toEqual([
      'payroll',
      'admin',
      null,
    ]);
    for (const other of [`${url}/more`, `${url}?more`, `https://evil.example${listed.pathname}`]) {
      expect(() => create({ url: other, oauth: { grant: 'token_exchange' } })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('"servers"') }),
      );
    }
    const typo: object = { audiance: 'payroll' };
    for (const servers of [{ orders: {} }, { [url]: typo }]) {
      expect(() => world.entries(servers)).toThrow('"servers" of tokenExchange()');
    }
  });

  it('keep the tokens of people apart, and take the client from the program', async () => {
    await using world = await createExchangingWorld();
    const asked: string[] = [];
    const create = world.entries(
      { [world.resource.url]: {} },
      {
        subjectToken: async ({ principal = '', issuer }) => {
          asked.push(issuer);
          return { type: 'access_token', token: await world.as.tokenOf(principal) };
        },
      },
    );
    const config = { url: world.resource.url, oauth: { grant: 'token_exchange' } };
    for (const principal of ['ann', 'bob']) {
      const provider = create(config, principal);
      if (provider === undefined) throw new Error('no provider');
      expect((await world.use(provider)).status).toBe(200);
      expect((await world.seen())?.sub).toBe(principal);
    }
    expect(new Set(asked)).toEqual(new Set([world.as.origin]));
    const own = ['clientId', 'clientSecret', 'issuer', 'tokenUrl', 'authorizationUrl'];
    for (const member of [...own, 'audience', 'scopes', 'resource']) {
      const entry = { ...config, oauth: { ...config.oauth, [member]: 'x' } };
      expect(() => create(entry)).toThrow(`"oauth.${member}"`);
    }
    const without = oauth({ clientName: 'tests', store: memoryStore() });
    expect(() => without.create({ name: 's', config }, {})).toThrow('tokenExchange() in "auth"');
    for (const other of [
      { url: config.url },
      { ...config, apiKey: 'k' },
      { ...config, url: 'unix:///run/x#/mcp' },
    ]) {
      expect(create(other)).toBeUndefined();
    }
    expect(() => world.provider({ clientSecret: undefined })).toThrow('"clientSecret" or "clientKey"');
  });
});

authProviderSuite(
  { describe, it },
  {
    name: 'token exchange',
    capabilities: { renews: true, signsOut: true },
    async setup() {
      const world = await createExchangingWorld();
      const token = await world.as.tokenOf('canary');
      const provider = world.provider({ subjectToken: () => ({ type: 'access_token', token }) });
      return { ...fixtureOf(world, provider), secrets: ['canary-gateway-secret', token] };
    },
  },
);

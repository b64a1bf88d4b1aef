import { inspect } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { tokenExchange } from '@mcp-fittings/auth-oauth/token-exchange';
import {
  bearerToken,
  createGateway,
  oauthResource,
  type Access,
  type GatewayOptions,
} from '@mcp-fittings/gateway';
import { createHost, type HostOptions } from '@mcp-fittings/host';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { http } from '@mcp-fittings/transport-http';
import { describe, expect, it } from 'vitest';
import {
  startExchangeServer,
  type TestExchangeServer,
} from '../../../auth-oauth/test/support/exchange-server.mjs';
import { startTokenedServer } from '../../../auth-oauth/test/support/tokened-server.js';
import { createProofs, startTestIssuer } from './support/test-issuer.js';

const RESOURCE = 'http://127.0.0.1/mcp';

/** A gateway for people of an issuer, which exchanges their tokens for tokens of the one server of the gateway. */
async function startExchangingGateway(
  options: {
    readonly access?: Access;
    readonly gateway?: GatewayOptions;
    readonly limits?: HostOptions['limits'];
    readonly otherIssuers?: (now: () => number) => Promise<readonly string[]>;
  } = {},
) {
  let offset = 0;
  const now = (): number => Date.now() + offset;
  const clock = { ...systemClock, now };
  const targets: string[] = [];
  const as: TestExchangeServer = await startExchangeServer({
    audience: () => RESOURCE,
    targets: () => targets,
    now,
  });
  const upstream = await startTokenedServer({
    issuer: () => as.origin,
    async personOf({ token, url }) {
      const claims = await as.read(token);
      return claims?.aud === url ? { sub: claims.sub, act: claims.act } : undefined;
    },
  });
  targets.push(upstream.url);
  const logged: unknown[] = [];
  const events: unknown[] = [];
  const log = (...line: unknown[]): void => void logged.push(line);
  const logger = { debug: log, info: log, warn: log, error: log };
  const others = (await options.otherIssuers?.(now)) ?? [];
  const resource = oauthResource({ resource: RESOURCE, issuers: [as.origin, ...others], clock, logger });
  const host = createHost({
    name: 'tests',
    version: '1',
    transports: [http()],
    lazy: true,
    clock,
    logger,
    limits: options.limits,
    auth: [
      tokenExchange({
        issuer: as.origin,
        clientId: 'gateway',
        clientSecret: 'canary-gateway-secret',
        servers: { [upstream.url]: {} },
        subjectToken: resource.callerToken,
      }),
    ],
  });
  for (const event of ['state', 'error'] as const) host.on(event, (payload) => events.push(payload));
  await host.connect({ notes: { url: upstream.url, oauth: { grant: 'token_exchange' } } });
  const gateway = createGateway(host, {
    access: options.access ?? resource,
    clock,
    logger,
    observe: (event) => events.push(event),
    ...options.gateway,
  });
  const clients: Client[] = [];
  return {
    as,
    upstream,
    targets,
    logged,
    events,
    now,
    host,
    gateway,
    advance: (ms: number) => void (offset += ms),
    /** Connects a client whose requests have these headers. */
    async connect(headers: (method: string) => Readonly<Record<string, string>>): Promise<Client> {
      const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      clients.push(client);
      const fetch = (url: string | URL, init: RequestInit = {}): Promise<Response> => {
        const merged = { ...Object.fromEntries(new Headers(init.headers)), ...headers(init.method ?? 'GET') };
        return gateway.fetch(new Request(url, { ...init, headers: merged }));
      };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${RESOURCE}/notes`), { fetch }));
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await gateway.close();
      await host.close();
      for (const each of [upstream, as]) await each[Symbol.asyncDispose]();
    },
  };
}

const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });

async function whoami(client: Client): Promise<unknown> {
  const { content } = await client.callTool({ name: 'whoami', arguments: {} });
  const [first] = content;
  return first?.type === 'text' ? JSON.parse(first.text) : content;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );

describe('a server that requires tokens of its own', () => {
  it('sees each person and the gateway, and no token of a caller', async () => {
    await using world = await startExchangingGateway();
    const { as, upstream } = world;
    const tokens = { ann: await as.tokenOf('ann'), bob: await as.tokenOf('bob') };
    const people = await Promise.all(
      Object.entries(tokens).map(async ([person, token]) => ({
        person,
        client: await world.connect(bearer(token)),
      })),
    );
    await Promise.all(
      [...people, ...people, ...people].map(async ({ person, client }) => {
        expect(await whoami(client)).toEqual({ sub: person, act: { sub: 'gateway' } });
      }),
    );
    // One exchange for each person, with the token of that person.
    const exchanged = as.tokenRequests.map(({ body }) => body.get('subject_token'));
    expect(exchanged).toHaveLength(2);
    expect(new Set(exchanged)).toEqual(new Set(Object.values(tokens)));
    const received = upstream.received.join('\n');
    expect(received).toContain('Bearer ');
    const shown = inspect([world.events, world.logged], { depth: 12, showHidden: true });
    expect(shown).toContain('whoami');
    for (const secret of [...Object.values(tokens), 'canary-gateway-secret']) {
      expect(received).not.toContain(secret);
      expect(shown).not.toContain(secret);
    }
  });

  it('is not reached with the token of a person who has the same subject at another issuer', async () => {
    let other: Awaited<ReturnType<typeof startTestIssuer>> | undefined;
    await using world = await startExchangingGateway({
      async otherIssuers(now) {
        other = await startTestIssuer({ resource: RESOURCE, now });
        return [other.origin];
      },
    });
    await using issuer = other;
    const ann = await world.connect(bearer(await world.as.tokenOf('ann')));
    expect(await whoami(ann)).toMatchObject({ sub: 'ann' });
    const namesake = await failureOf(
      world.connect(bearer(issuer?.token() ?? '')).then((client) => whoami(client)),
    );
    expect(namesake).toMatchObject({ data: { code: 'AUTH_REQUIRED' } });
    // An issuer does not get tokens of another one.
    expect(world.as.tokenRequests).toHaveLength(1);
  });

  it('gets a new token when that of the person has ended, from the newest token of the person', async () => {
    await using world = await startExchangingGateway();
    const { as } = world;
    let token = await as.tokenOf('ann');
    const client = await world.connect(() => ({ authorization: `Bearer ${token}` }));
    expect(await whoami(client)).toMatchObject({ sub: 'ann' });
    world.advance(301_000);
    // The host acts for the person without a request of the person.
    const principal = `${encodeURIComponent(as.origin)}|ann`;
    const alone = world.host.callTool({ server: 'notes', tool: 'whoami' }, {}, { principal });
    expect(await failureOf(alone)).toMatchObject({
      code: 'AUTH_REQUIRED',
      hint: 'Retry with a new token.',
    });
    token = await as.tokenOf('ann');
    expect(await whoami(client)).toMatchObject({ sub: 'ann' });
    expect(as.tokenRequests.map(({ body, status }) => [body.get('subject_token') === token, status])).toEqual(
      [
        [false, 200],
        [true, 200],
      ],
    );
  });

  it('accepts a DPoP-bound token of a caller at the front, and the token that it was exchanged for behind', async () => {
    await using world = await startExchangingGateway();
    const proofs = createProofs();
    const token = await world.as.tokenOf('ann', { cnf: { jkt: proofs.jkt } });
    const client = await world.connect((htm) => ({
      authorization: `DPoP ${token}`,
      dpop: proofs.proof({ htu: `${RESOURCE}/notes`, token, now: world.now(), htm }),
    }));
    expect(await whoami(client)).toMatchObject({ sub: 'ann' });
    expect(world.as.tokenRequests[0]?.body.get('subject_token')).toBe(token);
    expect(world.as.tokenRequests[0]?.headers['dpop']).toBeUndefined();
    const received = world.upstream.received.join('\n');
    expect(received).not.toContain(token);
    expect(received).not.toMatch(/^dpop$/im);
  });

  it('gets another token for a person whose connection made room', async () => {
    await using world = await startExchangingGateway({ limits: { principals: 1 } });
    const ann = await world.connect(bearer(await world.as.tokenOf('ann')));
    const bob = await world.connect(bearer(await world.as.tokenOf('bob')));
    for (const [client, sub] of [
      [ann, 'ann'],
      [bob, 'bob'],
      [ann, 'ann'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await whoami(client)).toMatchObject({ sub });
    }
    expect(world.as.tokenRequests.length).toBeGreaterThanOrEqual(3);
  });

  it('is not asked for with a refused token at each call, and gets a token when that is accepted', async () => {
    await using world = await startExchangingGateway();
    const { as } = world;
    as.refuseWith = () => ({ error: 'invalid_request', error_description: 'not enabled for this client' });
    const tokens = [await as.tokenOf('ann', { exp: 4e9 }), await as.tokenOf('ann', { exp: 4e9 })];
    let requests = 0;
    const client = await world.connect(() => ({ authorization: `Bearer ${tokens[requests++ % 2]}` }));
    for (let call = 0; call < 10; call++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await failureOf(whoami(client))).toMatchObject({ data: { code: 'AUTH_REQUIRED' } });
    }
    expect(as.tokenRequests).toHaveLength(2);
    as.refuseWith = undefined;
    world.advance(60_000);
    expect(await whoami(client)).toMatchObject({ sub: 'ann' });
  });

  it.each([
    ['invalid_target', 'AUTH_EXCHANGE_FAILED', 'Ask the administrator'],
    ['insufficient_scope', 'AUTH_SCOPE_INSUFFICIENT', 'Sign in with more scopes'],
    ['invalid_grant', 'AUTH_REQUIRED', 'Sign in again'],
  ])('tells the person that the exchange is refused: %s', async (reason, code, hint) => {
    const opened: string[] = [];
    const signIn: GatewayOptions['signIn'] = {
      open: async (_caller, server) => void opened.push(server),
      respond: async () => undefined,
    };
    await using world = await startExchangingGateway({ gateway: { signIn } });
    const { as } = world;
    as.refuseWith = ({ subject_token: token }) => ({ error: reason, error_description: `no ${token}` });
    let token = await as.tokenOf('ann');
    const client = await world.connect(() => ({ authorization: `Bearer ${token}` }));
    const error = await failureOf(whoami(client));
    expect(error).toMatchObject({
      message: expect.stringContaining(reason),
      data: { code, hint: expect.stringContaining(hint) },
    });
    const shown = inspect([error, world.events, world.logged], { depth: 12, showHidden: true });
    expect(shown).toContain(reason);
    expect(shown).not.toContain(token.slice(-40));
    // No page of the gateway would help.
    expect(opened).toEqual([]);
    // The administrator has changed it, and the person comes back with another token.
    as.refuseWith = undefined;
    world.advance(60_000);
    token = await as.tokenOf('ann');
    expect(await whoami(client)).toMatchObject({ sub: 'ann' });
  });
});

it('callers without a token are told what to set', async () => {
  const secret = 'kQ3vX9pLmN7rT2wYzA5bC8dE1fG4hJ6s';
  await using world = await startExchangingGateway({ access: bearerToken(secret) });
  const client = await world.connect(bearer(secret));
  expect(await failureOf(whoami(client))).toMatchObject({
    message: expect.stringContaining('no access token'),
    data: { code: 'CONFIG_INVALID', hint: expect.stringContaining('oauthResource()') },
  });
  expect(world.as.tokenRequests).toHaveLength(0);
});

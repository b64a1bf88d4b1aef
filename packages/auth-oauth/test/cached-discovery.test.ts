import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuthProvider, TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createClientCredentialsProvider, type OAuthProviderOptions } from '@mcp-fittings/auth-oauth';
import { memoryStore } from '@mcp-fittings/store-file';
import { startFalseServer, type FalseServer } from './support/false-server.js';
import { kill } from './support/four-processes.js';
import {
  REMOTE,
  REMOTE_ISSUER,
  remoteDocuments,
  scriptSignIn,
  type ScriptedSignIn,
} from './support/scripted-sign-in.js';
import { createWorld, type World } from './support/world.js';
import type { Fetcher } from '../src/protocol/endpoint.js';
import { DiscoveryCache } from '../src/provider/discovery-cache.js';

const METADATA = '/.well-known/oauth-authorization-server';
const RESOURCE = '/.well-known/oauth-protected-resource';

describe('a 401 at a real authorization server', () => {
  let world: World;
  let documents: number;
  beforeEach(async () => {
    world = await createWorld({ accessTokenTtl: 86_400 });
    documents = 0;
    world.resource.metadata = (document) => {
      documents++;
      return document;
    };
  });
  afterEach(() => world[Symbol.asyncDispose]());

  /** The requests that one refused call causes at the two servers. */
  const refused = async (provider: AuthProvider) => {
    kill(world);
    const before = world.as.requests.length;
    const calls = world.resource.seen.length;
    documents = 0;
    expect((await world.use(provider)).status).toBe(200);
    return {
      asked: world.as.requests.slice(before),
      documents,
      calls: world.resource.seen.length - calls,
    };
  };

  it('sends one request to the token endpoint, and the call again', async () => {
    const provider = world.provider();
    await world.use(provider);
    expect(await refused(provider)).toEqual({ asked: ['POST /token'], documents: 0, calls: 2 });
  });

  it('sends no more in another process that shares the store', async () => {
    await world.use(world.provider());
    expect(await refused(world.provider())).toEqual({ asked: ['POST /token'], documents: 0, calls: 2 });
    // Also from the record that a refresh has written.
    expect(await refused(world.provider())).toEqual({ asked: ['POST /token'], documents: 0, calls: 2 });
  });

  it('runs discovery when the metadata is older than ten minutes, in memory or in the store', async () => {
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const provider = world.provider({ clock });
    await world.use(provider);
    now += 10 * 60_000;
    expect(await refused(provider)).toMatchObject({ documents: 1, calls: 2 });
    now += 10 * 60_000 - 1;
    expect(await refused(provider)).toMatchObject({ asked: ['POST /token'], documents: 0 });
    now += 1;
    const later = world.provider({ clock });
    expect(await refused(later)).toMatchObject({ documents: 1, calls: 2 });
    // A clock that was set back says nothing about the age.
    now -= 3_600_000;
    expect(await refused(later)).toMatchObject({ documents: 1, calls: 2 });
  });

  it('runs discovery when the second token obtained without it is refused at once', async () => {
    let now = Date.now();
    const provider = world.provider({ clock: { ...systemClock, now: () => now } });
    await world.use(provider);
    expect(await refused(provider)).toMatchObject({ documents: 0 });
    expect(await refused(provider)).toMatchObject({ documents: 0 });
    now += 9_999;
    expect(await refused(provider)).toMatchObject({ documents: 1 });
    for (let n = 0; n < 4; n++) {
      now += 10_000;
      expect(await refused(provider)).toMatchObject({ documents: 0 });
    }
  });

  it('runs discovery at a server that now accepts DPoP only', async () => {
    const provider = world.provider();
    await world.use(provider);
    kill(world);
    documents = 0;
    world.resource.dpopOnly = true;
    await world.use(provider);
    expect(documents).toBeGreaterThan(0);
  });
});

describe('an authorization server that moves', () => {
  let server: FalseServer;
  let person: ScriptedSignIn;
  let store: TokenStore;
  let now: number;
  beforeEach(async () => {
    server = await startFalseServer();
    person = scriptSignIn(server);
    store = memoryStore();
    now = Date.now();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const signIn = async (options: Partial<OAuthProviderOptions> = {}): Promise<AuthProvider> => {
    const provider = person.provider({ store, clock: { ...systemClock, now: () => now }, ...options });
    await provider.signIn?.({ challenge: { url: new URL(server.url), status: 401 } });
    now += 60_000;
    server.asked.length = 0;
    return provider;
  };
  const challenge = (provider: AuthProvider, wwwAuthenticate?: string): Promise<string> =>
    provider.onChallenge({ url: new URL(server.url), status: 401, refused: 'Bearer good', wwwAuthenticate });
  const lines = (): readonly string[] => server.asked.map(({ line }) => line);
  const moveTo = (path: string): void => {
    server.describe({ issuer: { token_endpoint: `${server.origin}${path}` } });
    server.answers.set(path, { body: { access_token: 'new', token_type: 'Bearer', refresh_token: 'r2' } });
  };
  const LOOKED_UP = [`GET ${RESOURCE}/api`, `GET ${METADATA}`];

  it.each([
    ['is not found', { status: 404 }],
    ['is gone', { status: 410, body: 'gone' }],
    ['is a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>parked' }],
    ['redirects', { status: 308, headers: { location: '/elsewhere' } }],
    ['does not know the client', { status: 401, body: { error: 'invalid_client' } }],
  ])('is found where its token endpoint %s', async (_, answer) => {
    const provider = await signIn();
    moveTo('/moved');
    server.answers.set('/token', answer);
    expect(await challenge(provider)).toBe('retry');
    expect(lines()).toEqual(['POST /token', ...LOOKED_UP, 'POST /moved']);
  });

  it('is discovered again if its token endpoint refuses connections, also with metadata from the store', async () => {
    const closed = await startFalseServer();
    server.describe({ issuer: { token_endpoint: `${closed.origin}/token` } });
    await signIn({ allowedEndpointOrigins: [closed.origin] });
    await closed[Symbol.asyncDispose]();
    moveTo('/moved');
    const clock = { ...systemClock, now: () => now };
    const later = person.provider({ store, clock, allowedEndpointOrigins: [closed.origin] });
    expect(await challenge(later)).toBe('retry');
    expect(lines()).toEqual([...LOOKED_UP, 'POST /moved']);
  });

  it('gets no second token request if discovery finds the same server', async () => {
    const provider = await signIn();
    server.answers.set('/token', { status: 404 });
    await expect(challenge(provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    expect(lines()).toEqual(['POST /token', ...LOOKED_UP]);
  });

  it.each([
    ['refuses the grant', { status: 400, body: { error: 'invalid_grant' } }, 'AUTH_REQUIRED'],
    ['is in trouble', { status: 503 }, 'SERVER_ERROR'],
    ['breaks the connection', { status: 0 }, 'CONNECTION_LOST'],
  ])('is not looked for where its token endpoint %s', async (_, answer, code) => {
    const provider = await signIn();
    moveTo('/moved');
    server.answers.set('/token', answer);
    await expect(challenge(provider)).rejects.toMatchObject({ code });
    expect(lines()).toEqual(['POST /token']);
  });

  it('is discovered again if the challenge names other resource metadata, and not if it names the same', async () => {
    const provider = await signIn();
    const named = (path: string): string => `Bearer resource_metadata="${server.origin}${path}"`;
    const body = { resource: server.url, authorization_servers: [server.origin] };
    server.answers.set('/elsewhere', { body });
    server.answers.set('/token', {
      body: { access_token: 'good', token_type: 'Bearer', refresh_token: 'r' },
    });
    expect(await challenge(provider, named('/elsewhere'))).toBe('retry');
    expect(lines()).toEqual(['GET /elsewhere', `GET ${METADATA}`, 'POST /token']);
    server.asked.length = 0;
    now += 60_000;
    expect(await challenge(provider, named('/elsewhere'))).toBe('retry');
    now += 60_000;
    expect(await challenge(provider)).toBe('retry');
    expect(lines()).toEqual(['POST /token', 'POST /token']);
  });

  it.each([
    ['an origin that is not allowed any more', (origin: string) => `${origin}/token`],
    ['what is not a web address', () => 'file:///token'],
  ])('what the store says of it is checked like metadata: %s', async (_, endpointAt) => {
    await using other = await startFalseServer();
    server.describe({ issuer: { token_endpoint: `${other.origin}/token` } });
    await signIn({ allowedEndpointOrigins: [other.origin] });
    server.describe();
    const key = `oauth\n${server.url}`;
    const stored = await store.get(key);
    await store.set(key, { ...stored, tokenEndpoint: endpointAt(other.origin) });
    other.asked.length = 0;
    const later = person.provider({ store, clock: { ...systemClock, now: () => now } });
    expect(await challenge(later)).toBe('retry');
    expect(other.asked).toEqual([]);
    expect(lines()).toEqual([...LOOKED_UP, 'POST /token']);
  });

  it('configured endpoints are never read from the store', async () => {
    const endpoints = { tokenUrl: `${server.origin}/token`, authorizationUrl: `${server.origin}/authorize` };
    const identity = 'one';
    await signIn({ endpoints, identity, clientId: 'c' });
    moveTo('/moved');
    const moved = { ...endpoints, tokenUrl: `${server.origin}/moved` };
    const clock = { ...systemClock, now: () => now };
    const later = person.provider({ store, clock, identity, clientId: 'c', endpoints: moved });
    expect(await challenge(later)).toBe('retry');
    expect(lines()).not.toContain('POST /token');
  });
});

describe('discoveries at the same time', () => {
  const documents = () =>
    remoteDocuments(
      {},
      { 'https://mcp.example/elsewhere': { resource: REMOTE, authorization_servers: [REMOTE_ISSUER] } },
    );
  const cacheOn = (network: Fetcher): DiscoveryCache =>
    new DiscoveryCache({
      network,
      clock: systemClock,
      policy: { server: 'test', serverUrl: new URL(REMOTE) },
      configured: undefined,
      sendsResource: true,
    });

  it('fifty calls of a machine that are refused cause one, and one token request', async () => {
    await using server = await startFalseServer();
    const provider = createClientCredentialsProvider({
      url: server.url,
      store: memoryStore(),
      clientId: 'robot',
      clientSecret: 'secret',
    });
    const challenge = { url: new URL(server.url), status: 401 } as const;
    await Promise.all(Array.from({ length: 50 }, () => provider.onChallenge(challenge)));
    const lines = [`GET ${RESOURCE}/api`, `GET ${METADATA}`, 'POST /token'];
    expect(server.asked.map(({ line }) => line)).toEqual(lines);
    // What was found is known for the next token.
    expect(await provider.onChallenge({ ...challenge, refused: 'Bearer good' })).toBe('retry');
    expect(server.asked.map(({ line }) => line)).toEqual([...lines, 'POST /token']);
  });

  it('of one that is aborted, the others get the outcome', async () => {
    const network = documents();
    const cache = cacheOn(network);
    const abort = new AbortController();
    const aborted = cache.discover({ record: undefined, signal: abort.signal });
    const other = cache.discover({ record: undefined });
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await other).toMatchObject({ authorizationServer: { issuer: REMOTE_ISSUER } });
    expect(network.asked).toHaveLength(2);
    // Neither is kept when it has ended.
    await cache.discover({ record: undefined });
    expect(network.asked).toHaveLength(4);
  });

  it('for a challenge that names other metadata, and for a sign-in, there is another one', async () => {
    const network = documents();
    const cache = cacheOn(network);
    const first = cache.discover({ record: undefined });
    const wwwAuthenticate = 'Bearer resource_metadata="https://mcp.example/elsewhere"';
    const url = new URL(REMOTE);
    const named = cache.discover({ record: undefined, challenge: { url, status: 401, wwwAuthenticate } });
    cache.retryFailedIssuers();
    await Promise.all([first, named, cache.discover({ record: undefined })]);
    expect(network.asked).toHaveLength(6);
    expect((await named).resourceMetadata).toBe('https://mcp.example/elsewhere');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseTransportV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { authorizedFetch, toSdkAuthProvider } from '@mcp-fittings/auth-oauth';
import { answer } from './support/ending-world.js';
import { startFalseServer } from './support/false-server.js';
import { createProofChecker } from './support/proof-checker.js';
import { createWorld, type World } from './support/world.js';

async function clientV1(transport: SseTransportV1 | TransportV1): Promise<ClientV1> {
  const client = new ClientV1({ name: 'c', version: '1' });
  await client.connect(transport);
  return client;
}

async function clientV2(transport: SSEClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(transport);
  return client;
}

type FetchFunction = ReturnType<typeof authorizedFetch>;

describe('inside the transports of the SDKs', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
    world.resource.answer = answer;
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const kill = (): void => {
    for (const value of world.resource.seen) world.resource.dead.add(value?.split(' ')[1] ?? '');
  };
  const refreshes = (): number =>
    world.as.tokenRequests.filter(({ grant }) => grant === 'refresh_token').length;

  it.each([
    ['Streamable HTTP', StreamableHTTPClientTransport],
    ['SSE', SSEClientTransport],
  ] as const)(
    'toSdkAuthProvider in v2 %s: twenty calls on a dead token, 20 of 20, one refresh',
    async (name, Transport) => {
      world.resource.sse = name === 'SSE';
      const provider = world.provider();
      const url = new URL(world.resource.url);
      await world.use(provider);
      const authProvider = toSdkAuthProvider(provider, { url });
      const client = await clientV2(new Transport(url, { authProvider }));
      kill();
      await Promise.all(Array.from({ length: 20 }, () => client.ping()));
      expect(refreshes()).toBe(1);
      await client.close();
    },
  );

  it.each([
    [
      'toSdkAuthProvider in v2',
      (url: URL, provider: AuthProvider) => {
        const authProvider = toSdkAuthProvider(provider, { url });
        return clientV2(new StreamableHTTPClientTransport(url, { authProvider }));
      },
    ],
    [
      'authorizedFetch in v1',
      (url: URL, provider: AuthProvider) =>
        clientV1(new TransportV1(url, { fetch: authorizedFetch(provider, { url }) })),
    ],
  ])('%s: rejects with an AUTH_REQUIRED that a host can act on before a sign-in', async (_, connect) => {
    const provider = world.provider();
    const url = new URL(world.resource.url);
    await expect(connect(url, provider)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
    await provider.signIn?.({});
    await (await connect(url, provider)).close();
  });

  const TRANSPORTS = {
    'v1 Streamable HTTP': (url: URL, fetch: FetchFunction) => clientV1(new TransportV1(url, { fetch })),
    'v1 SSE': (url: URL, fetch: FetchFunction) => clientV1(new SseTransportV1(url, { fetch })),
    'v2 Streamable HTTP': (url: URL, fetch: FetchFunction) =>
      clientV2(new StreamableHTTPClientTransport(url, { fetch })),
    'v2 SSE': (url: URL, fetch: FetchFunction) => clientV2(new SSEClientTransport(url, { fetch })),
  } as const;

  for (const scheme of ['Bearer', 'DPoP']) {
    for (const [name, connect] of Object.entries(TRANSPORTS)) {
      it(`authorizedFetch in ${name} (${scheme}): twenty calls on a dead token, 20 of 20, one refresh`, async () => {
        world.resource.dpopOnly = scheme === 'DPoP';
        world.resource.proofs = scheme === 'DPoP' ? createProofChecker(40) : undefined;
        world.resource.sse = name.endsWith('SSE');
        const provider = world.provider();
        const url = new URL(world.resource.url);
        await world.use(provider);
        const client = await connect(url, authorizedFetch(provider, { url }));
        kill();
        await Promise.all(Array.from({ length: 20 }, () => client.ping()));
        expect(refreshes()).toBe(1);
        // The newest nonce is in each proof: only the first request of all lacks one.
        const { trouble = '', verdicts = [] } = world.resource.proofs ?? {};
        expect(trouble).toBe('');
        expect(verdicts.slice(1)).not.toContain('use_dpop_nonce');
        await client.close();
      });
    }
  }

  it('authorizedFetch signs no request to another origin, and follows no redirect', async () => {
    const provider = world.provider();
    await world.use(provider);
    await using other = await startFalseServer();
    const fetch = authorizedFetch(provider, { url: world.resource.url });
    await fetch(other.url);
    world.resource.redirect = other.url;
    expect((await fetch(world.resource.url)).status).toBe(307);
    expect(other.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});

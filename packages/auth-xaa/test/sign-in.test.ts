import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpClient } from '@mcp-fittings/http-client';
import type { IdentityProvider } from '@mcp-fittings/auth-xaa';
import { fileStore } from '@mcp-fittings/store-file';
import { abortable } from '@mcp-fittings/toolbox/timing';
import { createWorld, later, useOwnDate } from './support/world.js';

const HOUR = 3600_000;
const count = (list: readonly string[]): Record<string, number> =>
  Object.fromEntries([...new Set(list)].map((name) => [name, list.filter((each) => each === name).length]));

interface Figures {
  readonly mcp: number;
  readonly auth: readonly string[];
}

useOwnDate();

describe('with a real identity provider and a real authorization server', () => {
  it('signs in once, exchanges, redeems and gets access', async () => {
    await using world = await createWorld();
    const response = await world.use(world.provider(world.identity()));
    expect(response.status).toBe(200);
    expect(world.pages).toHaveLength(1);
    const [page] = world.pages;
    expect(page?.searchParams.get('scope')).toBe('openid offline_access');
    expect(page?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(page?.searchParams.get('nonce')).toMatch(/.{20}/);
    expect(world.tokenRequests()).toEqual(['idp authorization_code', 'idp token-exchange', 'as jwt-bearer']);
    expect(Object.fromEntries(world.idp.tokenRequests[1]?.body ?? [])).toMatchObject({
      audience: world.as.origin,
      resource: world.resource.url,
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      scope: 'tools',
    });
    expect(Object.fromEntries(world.as.tokenRequests[0]?.body ?? [])).toMatchObject({
      resource: world.resource.url,
      scope: 'tools',
      assertion: world.idp.assertions[0],
    });
  });

  it('ten servers: one page, then ten connects without a page, even after the ID token has expired', async () => {
    await using world = await createWorld({ servers: 10 });
    const identity = world.identity();
    const connect = async (one: IdentityProvider): Promise<readonly number[]> =>
      Promise.all(
        world.resources.map(async ({ url }, n) => {
          const provider = world.provider(one, { url, server: `server ${n}` });
          return (await world.use(provider, url)).status;
        }),
      );
    const all = Array.from({ length: 10 }, () => 200);
    expect(await connect(identity)).toEqual(all);
    expect(world.pages).toHaveLength(1);
    expect(count(world.tokenRequests())).toEqual({
      'idp authorization_code': 1,
      'idp token-exchange': 10,
      'as jwt-bearer': 10,
    });

    // Another run of the host: everything is in the store.
    world.forgetRequests();
    expect(await connect(world.identity())).toEqual(all);
    expect(world.tokenRequests()).toEqual([]);

    // Access tokens and ID token have expired, the refresh token has not.
    later(2 * HOUR);
    expect(await connect(world.identity())).toEqual(all);
    expect(world.pages).toHaveLength(1);
    expect(count(world.tokenRequests())).toEqual({
      'idp refresh_token': 1,
      'idp token-exchange': 10,
      'as jwt-bearer': 10,
    });
    const refresh = world.idp.tokenRequests.find(({ grant }) => grant === 'refresh_token');
    expect(refresh?.body.get('scope')).toBe('openid offline_access');
  });

  it('concurrent sign-ins to ten servers open one page', async () => {
    await using world = await createWorld({ servers: 10 });
    const identity = world.identity();
    await Promise.all(
      world.resources.map(async ({ url }) => world.provider(identity, { url, server: url }).signIn?.({})),
    );
    expect(world.pages).toHaveLength(1);
    await identity.signIn();
    expect(world.pages).toHaveLength(1);
  });

  it('the requests of a connect: cold, warm, with a cached ID-JAG', async () => {
    await using world = await createWorld({ as: { singleUse: false } });
    await using network = createHttpClient({ url: world.resource.url });
    const requests: string[] = [];
    const counted = {
      fetch: (url: string | URL, init?: Parameters<typeof network.fetch>[1]): Promise<Response> => {
        requests.push(`${init?.method ?? 'GET'} ${new URL(url).pathname}`);
        return network.fetch(url, init);
      },
    };
    await world.identity().signIn();
    // A new run of the host: only the sign-in is in the store.
    const identity = world.identity({ network: counted });
    const connect = async (): Promise<Figures> => {
      requests.length = 0;
      world.forgetRequests();
      expect((await world.useSilently(world.provider(identity, { network: counted }))).status).toBe(200);
      return { mcp: world.resource.seen.length, auth: [...requests] };
    };
    const first = await connect();
    const warm = await connect();
    // Its access token is lost, the ID-JAG still valid.
    await world.store.delete(`xaa\n${world.resource.url}`);
    const cached = await connect();
    later(400_000);
    await world.store.delete(`xaa\n${world.resource.url}`);
    const cold = await connect();
    const discovery = [
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /.well-known/oauth-authorization-server',
    ];
    const identityProvider = 'GET /.well-known/oauth-authorization-server';
    expect(first).toEqual({ mcp: 2, auth: [...discovery, identityProvider, 'POST /token', 'POST /token'] });
    expect(cold).toEqual({ mcp: 2, auth: [...discovery, 'POST /token', 'POST /token'] });
    expect(cached).toEqual({ mcp: 2, auth: [...discovery, 'POST /token'] });
    expect(warm).toEqual({ mcp: 1, auth: [] });
  });
});

describe('the renewal ladder', () => {
  it('exchanges the refresh token when the identity provider does not renew the ID token', async () => {
    await using world = await createWorld();
    const provider = world.provider(world.identity());
    await world.use(provider);
    later(2 * HOUR);
    world.forgetRequests();
    world.idp.rewrite.set('/token', (reply) => ({ ...reply, id_token: undefined }));
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(world.tokenRequests()).toEqual(['idp refresh_token', 'idp token-exchange', 'as jwt-bearer']);
    expect(world.idp.tokenRequests[1]?.body.get('subject_token_type')).toMatch(/:refresh_token$/);
  });

  it('exchanges the refresh token at once when configured', async () => {
    await using world = await createWorld();
    await world.use(world.provider(world.identity({ subject: 'refresh_token' })));
    expect(world.idp.tokenRequests[1]?.body.get('subject_token_type')).toMatch(/:refresh_token$/);
  });

  it('renews an ID token that is refused before it expires', async () => {
    await using world = await createWorld();
    const provider = world.provider(world.identity());
    await world.use(provider);
    const old = world.idp.tokenRequests[1]?.body.get('subject_token') ?? '';
    world.idp.policy = ({ subject_token: token }) => (token === old ? { error: 'invalid_grant' } : undefined);
    await world.store.delete(`xaa\n${world.resource.url}`);
    later(60_000);
    world.forgetRequests();
    expect((await world.useSilently(world.provider(world.identity()))).status).toBe(200);
    expect(world.tokenRequests()).toEqual([
      'idp token-exchange',
      'idp refresh_token',
      'idp token-exchange',
      'as jwt-bearer',
    ]);
  });

  it('two processes with one file store refresh once with an identity provider that rotates refresh tokens', async () => {
    await using world = await createWorld({ servers: 2 });
    const folder = await mkdtemp(join(tmpdir(), 'xaa-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Each with a separate store object: they share only the files and their locks.
    const open = () => fileStore({ path: join(folder, 'store.json'), consent: () => true });
    const store = open();
    await world.use(world.provider(world.identity({ store }), { store }));
    later(2 * HOUR);
    world.forgetRequests();
    const statuses = await Promise.all(
      world.resources.map(async ({ url }) => {
        const own = open();
        const provider = world.provider(world.identity({ store: own }), { url, store: own });
        return (await world.useSilently(provider, url)).status;
      }),
    );
    expect(statuses).toEqual([200, 200]);
    expect(count(world.tokenRequests())['idp refresh_token']).toBe(1);
  });

  it('keeps the sign-in while the identity provider fails', async () => {
    await using world = await createWorld();
    const provider = world.provider(world.identity());
    await world.use(provider);
    later(2 * HOUR);
    world.idp.fault = { path: '/token', status: 503 };
    await expect(world.useSilently(provider)).rejects.toMatchObject({
      code: 'SERVER_ERROR',
      retryable: true,
    });
    world.idp.fault = undefined;
    later(60_000);
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(world.pages).toHaveLength(1);
  });
});

describe('a host that signs users in itself', () => {
  it('exchanges a SAML assertion once for a refresh token, which is the sign-in', async () => {
    await using world = await createWorld();
    const subjectToken = () => ({ type: 'saml2', token: world.idp.saml }) as const;
    const identity = world.identity({ subjectToken });
    const provider = world.provider(identity);
    expect((await world.useSilently(provider)).status).toBe(200);
    expect(world.tokenRequests()).toEqual(['idp token-exchange', 'idp token-exchange', 'as jwt-bearer']);
    expect(Object.fromEntries(world.idp.tokenRequests[0]?.body ?? [])).toMatchObject({
      subject_token_type: 'urn:ietf:params:oauth:token-type:saml2',
      requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
      scope: 'openid offline_access',
    });
    later(2 * HOUR);
    expect((await world.useSilently(provider)).status).toBe(200);
    const subjects = world.idp.tokenRequests.map(({ body }) => body.get('subject_token_type') ?? '');
    expect(subjects.filter((type) => type.endsWith(':saml2'))).toHaveLength(1);
    expect(world.pages).toHaveLength(0);
  });

  it('exchanges it once for ten concurrent servers', async () => {
    await using world = await createWorld({ servers: 10 });
    const identity = world.identity({ subjectToken: () => ({ type: 'saml2', token: world.idp.saml }) });
    const connect = world.resources.map(async ({ url }) => {
      const response = await world.useSilently(world.provider(identity, { url, server: url }), url);
      return response.status;
    });
    expect(await Promise.all(connect)).toEqual(Array.from({ length: 10 }, () => 200));
    const subjects = world.idp.tokenRequests.map(({ body }) => body.get('subject_token_type') ?? '');
    expect(subjects.filter((type) => type.endsWith(':saml2'))).toHaveLength(1);
  });

  it('reports a callback that throws, with its error as the cause only', async () => {
    await using world = await createWorld();
    const subjectToken = (): never => {
      throw new Error('secret of the host');
    };
    const error: unknown = await world
      .useSilently(world.provider(world.identity({ subjectToken })))
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CALLBACK_FAILED' });
    expect(String(error)).not.toContain('secret of the host');
  });
});

describe('the metadata of the identity provider', () => {
  it('is read again after ten minutes, because an endpoint may have moved', async () => {
    await using world = await createWorld();
    const METADATA = 'GET /.well-known/oauth-authorization-server';
    const identity = world.identity();
    await identity.signIn();
    const provider = world.provider(identity);
    const readsOf = async (ms: number): Promise<number> => {
      later(ms);
      world.forgetRequests();
      await provider.signIn?.({});
      return world.idp.requests.filter((each) => each === METADATA).length;
    };
    expect(await readsOf(9 * 60_000)).toBe(0);
    expect(await readsOf(2 * 60_000)).toBe(1);
    expect(await readsOf(9 * 60_000)).toBe(0);
  });
});

describe('aborting', () => {
  it('a caller that aborts does not close the page of the others', async () => {
    await using world = await createWorld();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const identity = world.identity({
      interaction: {
        begin: async () => ({
          redirectUri: 'http://127.0.0.1:33418/callback',
          authorize: ({ url }) => {
            world.pages.push(url);
            open();
            return new Promise(() => undefined);
          },
          async [Symbol.asyncDispose]() {},
        }),
      },
    });
    const first = new AbortController();
    const second = new AbortController();
    const outcomes = [identity.signIn({ signal: first.signal }), identity.signIn({ signal: second.signal })];
    let isOver = false;
    void outcomes[0]?.catch(() => undefined).finally(() => (isOver = true));
    const settled = Promise.allSettled(outcomes);
    await opened;
    second.abort();
    await expect(outcomes[1]).rejects.toMatchObject({ code: 'ABORTED' });
    expect(isOver).toBe(false);
    first.abort();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(world.pages).toHaveLength(1);
  });

  it('a caller that aborts while the metadata is read does not abort the others', async () => {
    await using world = await createWorld({ servers: 2 });
    await world.identity().signIn();
    await using real = createHttpClient({ url: world.idp.origin });
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let reads = 0;
    const identity = world.identity({
      network: {
        async fetch(url, init) {
          if (init?.method !== 'POST') reads++;
          await abortable(gate, init?.signal ?? undefined);
          return real.fetch(url, init);
        },
      },
    });
    const [one, two] = world.resources.map(({ url }, n) =>
      world.provider(identity, { url, server: `server ${n}` }),
    );
    const first = new AbortController();
    const aborted = expect(one?.signIn?.({ signal: first.signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await vi.waitFor(() => expect(reads).toBe(1));
    const other = two && world.useSilently(two, world.resources[1]?.url);
    await vi.waitFor(() => expect(world.as.requests).toHaveLength(2));
    first.abort();
    await aborted;
    open();
    expect((await other)?.status).toBe(200);
    expect(reads).toBe(1);
  });
});

import type { AuthProvider, StoredValue, TokenStore } from '@mcp-fittings/client-core';
import type { createBearerProvider, createOAuthProvider } from '@mcp-fittings/auth-oauth/fetch';
import { beforeAll, expect, it } from 'vitest';
import { runAsInBrowser } from '../../../scripts/run-as-in-browser.js';
import { scriptedPerson } from './support/authorization-server.mjs';
import { createWorld } from './support/world.js';

let web: {
  readonly createOAuthProvider: typeof createOAuthProvider;
  readonly createBearerProvider: typeof createBearerProvider;
};
beforeAll(async () => {
  web = await runAsInBrowser('@mcp-fittings/auth-oauth/fetch');
});

const redirectUri = 'http://127.0.0.1:8080/signed-in';

/** As web storage keeps it: as text, and across the pages of one origin. */
function storage(): TokenStore & { readonly kept: ReadonlyMap<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    async get(key) {
      const text = kept.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as StoredValue);
    },
    set: async (key, value) => void kept.set(key, JSON.stringify(value)),
    delete: async (key) => void kept.delete(key),
    withLock: (_key, work) => work(new AbortController().signal),
  };
}

async function authorizationOf(provider: AuthProvider, url: string): Promise<string | undefined> {
  return (await provider.headers({ url: new URL(url), method: 'POST' }))['authorization'];
}

it.each(['auto', 'always'] as const)(
  'signs in across two pages with nothing but the language and the web (dpop: %s)',
  async (dpop) => {
    await using world = await createWorld();
    const store = storage();
    const { url } = world.resource;
    const inPage = () => web.createOAuthProvider({ url, store, clientName: 'tests', dpop });
    const { url: page, state } = await inPage().startSignIn({ redirectUri });
    const { location = '' } = await scriptedPerson(page);
    expect(new URL(location).searchParams.get('state')).toBe(state);

    const provider = inPage();
    await provider.completeSignIn(location);
    expect((await world.use(provider)).status).toBe(200);
    const first = await authorizationOf(provider, url);
    expect(first?.startsWith(dpop === 'always' ? 'DPoP ' : 'Bearer ')).toBe(true);

    // Refused, as if it had expired: it is refreshed without a person.
    world.resource.dead.add(first?.split(' ')[1] ?? '');
    expect((await world.use(inPage())).status).toBe(200);
    expect(world.as.tokenRequests.map(({ grant, status }) => [grant, status])).toEqual([
      ['authorization_code', 200],
      ['refresh_token', 200],
    ]);
    await provider.signOut?.();
    expect(await authorizationOf(inPage(), url)).toBeUndefined();
  },
);

it('stores under the same keys as the main entry point', async () => {
  await using world = await createWorld();
  const options = { url: world.resource.url, clientName: 'tests', store: world.store, principal: 'ann' };
  await world.provider({ principal: 'ann' }).signIn?.({});
  expect(await authorizationOf(web.createOAuthProvider(options), options.url)).toMatch(/^Bearer /);
});

it('refuses what only Node.js can do, instead of leaving it out', () => {
  // As a program in JavaScript may.
  const network = { proxy: 'http://proxy.example' } as never;
  const options = { url: 'https://mcp.example/mcp', clientName: 'tests', store: storage(), network };
  expect(() => web.createOAuthProvider(options)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('`network`') }),
  );
});

it('sends its requests through the network of the page', async () => {
  await using world = await createWorld();
  const asked: string[] = [];
  const network = {
    fetch: async (url: string | URL, init?: object) => (asked.push(String(url)), fetch(url, { ...init })),
  };
  const { url } = world.resource;
  const provider = web.createOAuthProvider({ url, clientName: 'tests', store: storage(), network });
  await provider.startSignIn({ redirectUri });
  expect(asked).toContain(`${world.as.origin}/reg`);
});

it('signs with a token of the page, for its server only', async () => {
  const provider = web.createBearerProvider({ url: 'https://mcp.example/mcp', token: 'good' });
  expect(await authorizationOf(provider, 'https://mcp.example/mcp')).toBe('Bearer good');
  expect(await authorizationOf(provider, 'https://other.example/')).toBeUndefined();
});

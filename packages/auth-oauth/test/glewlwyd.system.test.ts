import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AuthProvider, AuthRequiredError, type TokenStore } from '@mcp-fittings/client-core';
import { createHttpClient, type HttpClient } from '@mcp-fittings/http-client';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  authorizedFetch,
  createOAuthProvider,
  type Interaction,
  type OAuthProviderOptions,
} from '@mcp-fittings/auth-oauth';
import { describeWith } from '../../../scripts/describe-with.js';
import { missingParts, startGlewlwyd, type Glewlwyd } from './support/glewlwyd.js';
import { startResource, type TestResource } from './support/resource-server.js';

const REDIRECT_URI = 'http://127.0.0.1:33418/callback';
const WELL_KNOWN = '/.well-known';

interface Seen {
  readonly request: string;
  readonly form: URLSearchParams;
  readonly status: number;
  readonly body: string;
}

describeWith(
  { missing: missingParts(), packages: 'glewlwyd sqlite3' },
  'glewlwyd, an authorization server with habits of its own',
  () => {
    let resource: TestResource;
    let server: Glewlwyd;
    let network: HttpClient;
    let store: TokenStore;
    let seen: Seen[];
    let callbacks: URL[];

    beforeAll(async () => {
      resource = await startResource(() => undefined);
      server = await startGlewlwyd(resource.url);
      resource.issuers = [server.issuer];
      resource.find = (token) => server.find(token);
    }, 60_000);
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      await resource[Symbol.asyncDispose]();
      expect(server.process.signalCode).toBe('SIGKILL');
    });
    beforeEach(() => {
      network = createHttpClient({ url: resource.url });
      store = memoryStore();
      seen = [];
      callbacks = [];
    });
    afterEach(() => network[Symbol.asyncDispose]());

    const recording: Pick<HttpClient, 'fetch'> = {
      async fetch(url, init) {
        const response = await network.fetch(url, init);
        const { pathname } = new URL(url instanceof Request ? url.url : url);
        const body = await response.clone().text();
        const form = new URLSearchParams(String(init?.body ?? ''));
        const request = `${init?.method ?? 'GET'} ${pathname}`;
        seen.push({ request, form, status: response.status, body });
        return response;
      },
    };
    const interaction: Interaction = {
      async begin() {
        return {
          redirectUri: REDIRECT_URI,
          async authorize({ url }) {
            const callback = await server.person(url);
            callbacks.push(callback);
            return callback.searchParams;
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    };
    const provider = (more: Partial<OAuthProviderOptions> = {}): AuthProvider =>
      createOAuthProvider({
        url: resource.url,
        server: 'test',
        store,
        clientName: 'tests',
        interaction,
        network: recording,
        ...more,
      });
    const call = (auth: AuthProvider): Promise<Response> =>
      authorizedFetch(auth, { url: resource.url })(resource.url, { method: 'POST', body: '{}' });
    const signedIn = async (auth: AuthProvider): Promise<AuthProvider> => {
      const error: unknown = await call(auth).catch((reason: unknown) => reason);
      if (!(error instanceof AuthRequiredError)) throw error;
      await auth.signIn?.({ challenge: error.challenge });
      expect((await call(auth)).status).toBe(200);
      return auth;
    };
    const lastToken = (): string => resource.seen.at(-1)?.split(' ')[1] ?? '';
    const stored = (): ReturnType<TokenStore['get']> => store.get(`oauth\n${resource.url}`);
    const at = (request: string): readonly Seen[] => seen.filter((each) => each.request === request);

    it('is found at the OpenID Connect URL, registers with 200, and signs in with PKCE and an unadvertised iss', async () => {
      await signedIn(provider());
      const metadata = seen.filter(
        ({ request }) => request.includes(WELL_KNOWN) && request.includes('/api/oidc'),
      );
      expect(metadata.map(({ request, status }) => [request, status])).toEqual([
        [`GET ${WELL_KNOWN}/oauth-authorization-server/api/oidc`, 404],
        [`GET ${WELL_KNOWN}/openid-configuration/api/oidc`, 404],
        [`GET /api/oidc${WELL_KNOWN}/openid-configuration`, 200],
      ]);
      expect(JSON.parse(metadata[2]?.body ?? '')).not.toHaveProperty(
        'authorization_response_iss_parameter_supported',
      );
      expect(at('POST /api/oidc/register').map(({ status }) => status)).toEqual([200]);
      expect(callbacks.map(({ searchParams }) => searchParams.get('iss'))).toEqual([server.issuer]);
      const [exchange] = at('POST /api/oidc/token');
      expect(exchange?.form.get('code_verifier')).toMatch(/^[\w~.-]{43,128}$/);
      expect(exchange?.form.get('resource')).toBe(resource.url);
    });

    it('rotates the refresh token; one that was used before requires a sign-in, and keeps the stored token until then', async () => {
      const first = await signedIn(provider());
      const old = await stored();
      if (old === undefined) throw new Error('nothing was stored');
      resource.dead.add(lastToken());
      expect((await call(first)).status).toBe(200);
      expect((await stored())?.['refreshToken']).not.toBe(old['refreshToken']);
      resource.dead.add(lastToken());
      // As from a backup: the record with the refresh token that is used up.
      await store.set(`oauth\n${resource.url}`, old);

      const auth = provider();
      await expect(call(auth)).rejects.toMatchObject({ code: 'AUTH_REQUIRED' });
      expect(at('POST /api/oidc/token').at(-1)).toMatchObject({ status: 400, body: '' });
      expect(at('POST /api/oidc/token').at(-1)?.form.get('refresh_token')).toBe(old['refreshToken']);
      expect(await stored()).toEqual(old);

      await auth.signIn?.({});
      expect((await stored())?.['refreshToken']).not.toBe(old['refreshToken']);
      expect((await call(auth)).status).toBe(200);
    });

    it('a public client that may not revoke is signed out locally all the same', async () => {
      await server.addPublicClient('public-client', REDIRECT_URI);
      const lines: string[] = [];
      const logger = { debug() {}, info() {}, warn: (line: string) => void lines.push(line), error() {} };
      const auth = await signedIn(provider({ clientId: 'public-client', logger }));
      await auth.signOut?.();
      expect(at('POST /api/oidc/revoke')[0]).toMatchObject({ status: 401, body: '' });
      expect(lines.join()).toContain('could not revoke');
      expect(await stored()).toBeUndefined();
      expect(await auth.headers({ url: new URL(resource.url), method: 'POST' })).toEqual({});
    });
  },
);

import { type AuthProvider, AuthRequiredError, type TokenStore } from '@mcp-fittings/client-core';
import { memoryStore } from '@mcp-fittings/store-file';
import {
  authorizedFetch,
  createOAuthProvider,
  type OAuthProviderOptions,
  type Interaction,
} from '@mcp-fittings/auth-oauth';
import {
  scriptedPerson,
  startAuthorizationServer,
  type TestAuthorizationServer,
  type TestServerOptions,
} from './authorization-server.mjs';
import { startResource, type TestResource } from './resource-server.js';

/** A protected server, its authorization server, and a factory of providers for them. */
export interface World extends AsyncDisposable {
  readonly as: TestAuthorizationServer;
  readonly resource: TestResource;
  readonly store: TokenStore;
  provider(options?: Partial<OAuthProviderOptions>): AuthProvider;
  /** Sends one request, and signs in if it is required. */
  use(provider: AuthProvider): Promise<Response>;
}

export async function createWorld(options: Partial<TestServerOptions> = {}): Promise<World> {
  let as: TestAuthorizationServer | undefined;
  const resource = await startResource(() => as);
  as = await startAuthorizationServer({ resource: () => resource.url, ...options });
  const started = as;
  resource.issuers = [as.origin];
  const store = memoryStore();
  return {
    as: started,
    resource,
    store,
    provider: (more = {}) =>
      createOAuthProvider({
        url: resource.url,
        server: 'test',
        store,
        clientName: 'tests',
        interaction: scripted(),
        ...more,
      }),
    async use(provider) {
      const fetch = authorizedFetch(provider, { url: resource.url });
      for (let signIns = 0; ; signIns++) {
        try {
          return await fetch(resource.url, { method: 'POST', body: '{}' });
        } catch (error) {
          if (!(error instanceof AuthRequiredError) || signIns > 2) throw error;
          await provider.signIn?.({ challenge: error.challenge });
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      await resource[Symbol.asyncDispose]();
    },
  };
}

/** A person who follows the pages; the redirect is returned directly. */
export function scripted(port = 33_418): Interaction {
  return {
    async begin({ callbackPort, preferredPort }) {
      return {
        redirectUri: `http://127.0.0.1:${callbackPort ?? preferredPort ?? port}/callback`,
        async authorize({ url }) {
          const { location, html } = await scriptedPerson(url);
          if (location === undefined) throw new Error(`no redirect: ${html.slice(0, 500)}`);
          return new URL(location).searchParams;
        },
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}

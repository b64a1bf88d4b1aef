import {
  type AuthProvider,
  AuthRequiredError,
  type Logger,
  type TokenStore,
} from '@mcp-fittings/client-core';
import { afterEach, beforeEach, vi } from 'vitest';
import { authorizedFetch, type Interaction } from '@mcp-fittings/auth-oauth';
import type { IdentityProvider, IdentityProviderOptions, XaaProviderOptions } from '@mcp-fittings/auth-xaa';
import { SharedIdentityProvider } from '../../src/identity-provider/identity-provider.js';
import { memoryStore } from '@mcp-fittings/store-file';
import { scriptedPerson } from '../../../auth-oauth/test/support/authorization-server.mjs';
import { startResource, type TestResource } from '../../../auth-oauth/test/support/resource-server.js';
import {
  startAuthorizationServer,
  startIdentityProvider,
  type TestIdentityProvider,
  type TestResourceAuthorizationServer,
} from './company.mjs';

/** A company: its identity provider, an authorization server, and MCP servers behind it. */
export interface World extends AsyncDisposable {
  readonly idp: TestIdentityProvider;
  readonly as: TestResourceAuthorizationServer;
  readonly resource: TestResource;
  readonly resources: readonly TestResource[];
  readonly store: TokenStore;
  readonly lines: string[];
  /** The pages of the identity provider that the user was sent to, and completed. */
  readonly pages: URL[];
  /** The user at these pages. */
  readonly interaction: Interaction;
  /** The account that the user signs in with. */
  login: string;
  identity(options?: Partial<IdentityProviderOptions>): SharedIdentityProvider;
  provider(identity: IdentityProvider, options?: Partial<XaaProviderOptions>): AuthProvider;
  /** Makes one request, and signs in when that is required. */
  use(provider: AuthProvider, url?: string): Promise<Response>;
  /** Makes one request without a user. */
  useSilently(provider: AuthProvider, url?: string): Promise<Response>;
  /** Requests that the token endpoints received, such as `idp token-exchange`. */
  tokenRequests(): readonly string[];
  forgetRequests(): void;
}

export interface WorldOptions {
  readonly servers?: number;
  readonly idp?: Partial<Parameters<typeof startIdentityProvider>[0]>;
  readonly as?: Partial<Parameters<typeof startAuthorizationServer>[0]>;
}

/** Sets the date of this process, the identity provider and the authorization server in each test of the file. */
export function useOwnDate(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
}

/** Advances that date. */
export const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

export const SECRET = 'canary-client-secret';

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const idp = await startIdentityProvider({ clients: [{ client_id: 'host' }], ...options.idp });
  const as = await startAuthorizationServer({
    idp,
    clients: [{ client_id: 'mcp-client', client_secret: SECRET }],
    ...options.as,
  });
  const resources = await Promise.all(
    Array.from({ length: options.servers ?? 1 }, async () => startResource(() => as)),
  );
  for (const each of resources) each.issuers = [as.origin];
  const [resource] = resources;
  if (resource === undefined) throw new Error('no server');
  const store = memoryStore();
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const logger: Logger = { debug: log, info: log, warn: log, error: log };
  const world: World = {
    idp,
    as,
    resource,
    resources,
    store,
    lines,
    pages: [],
    interaction: {
      async begin() {
        return {
          redirectUri: 'http://127.0.0.1:33418/callback',
          async authorize({ url }) {
            world.pages.push(url);
            const { location, html } = await scriptedPerson(url, world.login);
            if (location === undefined) throw new Error(`no redirect: ${html.slice(0, 500)}`);
            return new URL(location).searchParams;
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    },
    login: 'person',
    identity: (more = {}) =>
      new SharedIdentityProvider({
        issuer: idp.origin,
        clientId: 'host',
        store,
        logger,
        interaction: world.interaction,
        ...more,
      }),
    provider: (identityProvider, more = {}) =>
      identityProvider.createProvider({
        url: resource.url,
        server: 'test',
        store,
        logger,
        clientId: 'mcp-client',
        clientSecret: SECRET,
        ...more,
      }),
    async use(provider, url = resource.url) {
      for (let signIns = 0; ; signIns++) {
        try {
          return await world.useSilently(provider, url);
        } catch (error) {
          if (!(error instanceof AuthRequiredError) || signIns > 2) throw error;
          await provider.signIn?.({ challenge: error.challenge });
        }
      }
    },
    useSilently: (provider, url = resource.url) =>
      authorizedFetch(provider, { url })(url, { method: 'POST', body: '{}' }),
    tokenRequests: () => [
      ...idp.tokenRequests.map(({ grant }) => `idp ${nameOf(grant)}`),
      ...as.tokenRequests.map(({ grant }) => `as ${nameOf(grant)}`),
    ],
    forgetRequests() {
      for (const list of [idp.tokenRequests, idp.requests, as.tokenRequests, as.requests]) list.length = 0;
      for (const { seen } of resources) seen.length = 0;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([idp, as, ...resources].map((each) => each[Symbol.asyncDispose]()));
    },
  };
  return world;
}

const nameOf = (grant: string): string => grant.split(':').at(-1) ?? grant;

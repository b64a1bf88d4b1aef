import type { AuthChallenge, AuthPlugin, TokenStore } from '@mcp-fittings/client-core';
import type { HttpClient } from '@mcp-fittings/http-client';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { credentialIdentity } from './config-entry.js';
import { discover } from './discovery/discover.js';
import { createProviderContext } from './node-platform.js';
import type { TokenProviderOptions } from './options.js';
import { RecentFailures } from './protocol/recent-failures.js';
import { fromStored } from './tokens/token-record.js';

/**
 * Finds out where a person would sign in to a server, for a program that explains why a connection fails. It reads metadata
 * and stores nothing. `isGuessed` is true if no metadata says where, so that `oauth()` would try default endpoints.
 *
 * Rejects with `AUTH_DISCOVERY_FAILED` if nothing acceptable is found (`details.reason` is `missing`, `resource`, `issuer` or
 * `endpoint`), with `CONFIG_INVALID` for an invalid endpoint, and with the codes of the network.
 * @example
 * ```ts
 * const { issuer } = await discoverSignIn({ url: 'https://mcp.example.com/mcp', server: 'notes', network });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-discovery
 */
export async function discoverSignIn(
  options: Pick<TokenProviderOptions, 'url' | 'endpoints' | 'allowedEndpointOrigins'> & {
    /** Name of the server, for messages. */
    readonly server: string;
    /** Sends the requests. */
    readonly network: Pick<HttpClient, 'fetch'>;
    /** The refusal of the server, whose `resource_metadata` parameter is tried first. Default: none. */
    readonly challenge?: AuthChallenge | undefined;
    /** Hosts and address ranges that the server may send a browser to, besides public ones. Default: none. */
    readonly allowAddresses?: readonly string[] | undefined;
    /** Aborts the requests. */
    readonly signal?: AbortSignal | undefined;
  },
): Promise<{ readonly issuer: string; readonly resource: string; readonly isGuessed: boolean }> {
  const { url, endpoints: configured, ...others } = options;
  const found = await discover(
    { ...others, serverUrl: new URL(url), configured },
    new RecentFailures(systemClock),
  );
  const { authorizationServer, resource, isGuessed } = found;
  return { issuer: authorizationServer.issuer, resource, isGuessed };
}

/**
 * Reads the token that `oauth()` has stored for a person's sign-in to a server, without its secrets. It sends nothing and does
 * not refresh the token. Resolves with undefined if no one has signed in; rejects with the codes of the store.
 * @example
 * ```ts
 * const signIn = await readStoredSignIn({ name: 'notes', config: { url: 'https://mcp.example.com/mcp' } }, store);
 * console.log(signIn?.expiresAt);
 * ```
 */
export async function readStoredSignIn(
  server: Parameters<AuthPlugin['create']>[0],
  store: TokenStore,
): Promise<
  | {
      /** Time when the access token was obtained, in milliseconds since the epoch. */
      readonly obtainedAt: number;
      /** Time when the access token expires, in milliseconds since the epoch; undefined if the server does not say. */
      readonly expiresAt: number | undefined;
      /** True if there is a refresh token. */
      readonly isRenewable: boolean;
    }
  | undefined
> {
  const url = server.config['url'];
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const identity = credentialIdentity(server);
  const provider = createProviderContext({ url, store, identity, principal: server.principal });
  const record = fromStored(await store.get(provider.keyOf('oauth')));
  if (record === undefined) return undefined;
  const { obtainedAt, expiresAt, refreshToken } = record;
  return { obtainedAt, expiresAt, isRenewable: refreshToken !== undefined };
}

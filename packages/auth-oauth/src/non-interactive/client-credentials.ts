import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import type { OAuthProviderOptions, TokenProviderOptions } from '../options.js';
import { checkIssuerBinding } from '../registration/issuer-binding.js';
import {
  clientAuthentication,
  requestExtensionGrant,
  targetParameters,
  type OAuthClient,
} from '../tokens/token-endpoint.js';
import { createNonInteractiveProvider } from './grant-provider.js';

/** Options of {@link createClientCredentialsProvider}. `clientSecret` or `clientKey` is required. */
export interface ClientCredentialsOptions extends TokenProviderOptions {
  /** Id of the client at the authorization server. */
  readonly clientId: string;
  /** Secret of the client. */
  readonly clientSecret?: string | undefined;
  /** Private key of the client (`private_key_jwt`); preferred to a secret. */
  readonly clientKey?: OAuthProviderOptions['clientKey'];
  /** The only issuer that the credentials are sent to. Default: the first that the MCP server names, which is stored. */
  readonly clientIssuer?: string | undefined;
}

/**
 * Creates a provider that obtains tokens with the client credentials grant, for a program that acts as itself.
 *
 * Throws `CONFIG_INVALID` without a secret or key. Its methods reject with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`,
 * `AUTH_REJECTED`, `AUTH_SCOPE_INSUFFICIENT`, or the codes of the network and the store.
 * @example
 * ```ts
 * const url = 'https://mcp.example.com/mcp';
 * const clientSecret = process.env['CLIENT_SECRET'];
 * const provider = createClientCredentialsProvider({ url, store: memoryStore(), clientId: 'my-service', clientSecret });
 * const fetch = authorizedFetch(provider, { url });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4
 */
export function createClientCredentialsProvider(options: ClientCredentialsOptions): AuthProvider {
  const { clientId, clientSecret, clientKey, clientIssuer } = options;
  if (clientSecret === undefined && clientKey === undefined) {
    throw new FittingsError(
      'CONFIG_INVALID',
      'createClientCredentialsProvider() requires "clientSecret" or "clientKey".',
    );
  }
  return createNonInteractiveProvider(options, {
    kind: 'client-credentials',
    async run({ provider, discovered, scopes, dpop }) {
      const { server, network, store } = provider;
      const { authorizationServer, resourceParameter: resource } = discovered;
      const key = provider.keyOf(`oauth-issuer\n${clientId}`);
      const binding = { store, key, server, configured: clientIssuer };
      await checkIssuerBinding(binding, authorizationServer.issuer);
      const client: OAuthClient = {
        issuer: authorizationServer.issuer,
        clientId,
        origin: 'configured',
        authenticate: clientAuthentication(authorizationServer, { secret: clientSecret, key: clientKey }),
      };
      const response = await requestExtensionGrant(
        { network, server, authorizationServer, client, dpop },
        'Requesting a token with client credentials',
        'client_credentials',
        targetParameters(resource, scopes),
      );
      return { response, clientId };
    },
  });
}

import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { clientCredentialsGrantRequest, processClientCredentialsResponse } from 'oauth4webapi';
import { createNonInteractiveProvider } from './grant-provider.js';
import type { TokenProviderOptions } from '../provider/options.js';
import { checkIssuerBinding } from '../registration/issuer-binding.js';
import { clientAuthentication, type ClientKey, type OAuthClient } from '../registration/oauth-client.js';
import { requestToken } from '../tokens/token-endpoint.js';

export interface ClientCredentialsOptions extends TokenProviderOptions {
  readonly clientId: string;
  /** One of these two: a shared secret, or a private key (`private_key_jwt`, preferred). */
  readonly clientSecret?: string | undefined;
  readonly clientKey?: ClientKey | undefined;
  /** The only authorization server that is shown the credentials. Default: the first that the MCP server names, for good. */
  readonly clientIssuer?: string | undefined;
}

/**
 * Signs in a program as itself. Throws `CONFIG_INVALID` without a credential; its requests reject with `AUTH_FAILED`,
 * `AUTH_DISCOVERY_FAILED`, `AUTH_REJECTED`, `AUTH_SCOPE_INSUFFICIENT`, or the codes of the network and the store.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-4.4
 */
export function createClientCredentialsProvider(options: ClientCredentialsOptions): AuthProvider {
  const { clientId, clientSecret, clientKey, clientIssuer } = options;
  if (clientSecret === undefined && clientKey === undefined) {
    throw new FittingsError('CONFIG_INVALID', 'Client credentials need a secret or a key.');
  }
  return createNonInteractiveProvider(options, {
    kind: 'client-credentials',
    async run({ provider: { server, network, store, keyOf }, discovered, scopes, dpop }) {
      const { authorizationServer, resource } = discovered;
      const pin = { store, key: keyOf(`oauth-issuer\n${clientId}`), server, configured: clientIssuer };
      await checkIssuerBinding(pin, authorizationServer.issuer);
      const client: OAuthClient = {
        issuer: authorizationServer.issuer,
        clientId,
        origin: 'configured',
        authenticate: clientAuthentication(authorizationServer, { secret: clientSecret, key: clientKey }),
      };
      const response = await requestToken(
        { network, server, authorizationServer, client, dpop },
        'Getting a token with client credentials',
        (as, library, options_) =>
          clientCredentialsGrantRequest(
            as,
            library,
            client.authenticate,
            { resource, ...(scopes.length > 0 && { scope: scopes.join(' ') }) },
            options_,
          ),
        processClientCredentialsResponse,
      );
      return { response, clientId };
    },
  });
}

import { FittingsError, type AuthProvider } from '@mcp-fittings/client-core';
import { clientCredentialsGrantRequest, processClientCredentialsResponse } from 'oauth4webapi';
import type { TokenProviderOptions } from '../provider/context.js';
import { clientAuthOf, type ClientKey } from '../registration/client-auth.js';
import type { OAuthClient } from '../registration/client.js';
import { requestToken } from '../tokens/token-request.js';
import { checkIssuer } from '../registration/pinned-issuer.js';
import { createMachineProvider } from './machine-provider.js';

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
  return createMachineProvider(options, {
    kind: 'client-credentials',
    async run({ context: { server, network, store, keyOf }, discovered, scopes, dpop }) {
      const { authorizationServer, resource } = discovered;
      const pin = { store, key: keyOf(`oauth-issuer\n${clientId}`), server, configured: clientIssuer };
      await checkIssuer(pin, authorizationServer.issuer);
      const client: OAuthClient = {
        issuer: authorizationServer.issuer,
        clientId,
        origin: 'configured',
        authenticate: clientAuthOf(authorizationServer, { secret: clientSecret, key: clientKey }),
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

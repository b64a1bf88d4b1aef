import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { None } from 'oauth4webapi';
import { createNonInteractiveProvider } from './grant-provider.js';
import type { TokenProviderOptions } from '../provider/options.js';
import { checkIssuerBinding } from '../registration/issuer-binding.js';
import { clientAuthentication, type ClientKey } from '../registration/oauth-client.js';
import { requestExtensionGrant } from '../tokens/token-endpoint.js';

export interface WorkloadOptions extends TokenProviderOptions {
  /**
   * The JWT that the platform gives this workload, for `audience` (the issuer of the authorization server). Called for
   * every token; a Kubernetes or SPIFFE token is read from its file here.
   */
  readonly assertion: (request: { readonly audience: string }) => string | Promise<string>;
  /** Where the authorization server wants to know a client as well. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientKey?: ClientKey | undefined;
  /** The only authorization server that is shown the JWT. Default: the first that the MCP server names, for good. */
  readonly clientIssuer?: string | undefined;
}

/** @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1 */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Signs in a workload with the JWT of its platform: no registration, no secret to keep.
 * @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1
 */
export function createWorkloadProvider(options: WorkloadOptions): AuthProvider {
  const { clientId = '', clientSecret, clientKey, clientIssuer } = options;
  return createNonInteractiveProvider(options, {
    kind: 'workload',
    async run({ provider: { server, network, store, keyOf }, discovered, scopes, dpop }) {
      const { authorizationServer, resource } = discovered;
      const { issuer } = authorizationServer;
      const pin = { store, key: keyOf('oauth-issuer\nworkload'), server, configured: clientIssuer };
      await checkIssuerBinding(pin, issuer);
      const isPublic = clientSecret === undefined && clientKey === undefined;
      const authenticate = isPublic
        ? clientId === ''
          ? withoutClient
          : None()
        : clientAuthentication(authorizationServer, { secret: clientSecret, key: clientKey });
      // The library wants to know who asks, also where nothing of it is sent.
      const client = {
        issuer,
        clientId: clientId || 'workload',
        origin: 'configured',
        authenticate,
      } as const;
      const response = await requestExtensionGrant(
        { network, server, authorizationServer, client, dpop },
        'Getting a token for the workload',
        JWT_BEARER_GRANT,
        {
          assertion: await assertionOf(options, server, issuer),
          resource,
          ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        },
      );
      return { response, clientId };
    },
  });
}

function withoutClient(): void {}

async function assertionOf(
  { assertion }: WorkloadOptions,
  server: string,
  audience: string,
): Promise<string> {
  let jwt: string;
  try {
    jwt = (await assertion({ audience })).trim();
  } catch (cause) {
    throw new FittingsError('CALLBACK_FAILED', `The JWT of this workload could not be had for "${server}".`, {
      server,
      cause,
    });
  }
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(jwt)) return jwt;
  throw new FittingsError('CALLBACK_FAILED', `What "assertion" gave for "${server}" is not a JWT.`, {
    server,
  });
}

import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import { None } from 'oauth4webapi';
import type { OAuthProviderOptions, TokenProviderOptions } from '../options.js';
import { checkIssuerBinding } from '../registration/issuer-binding.js';
import { clientAuthentication, requestExtensionGrant, targetParameters } from '../tokens/token-endpoint.js';
import { createNonInteractiveProvider } from './grant-provider.js';

/** Options of {@link createWorkloadProvider}. */
export interface WorkloadOptions extends TokenProviderOptions {
  /**
   * Returns the JWT that the platform issues to this workload for `audience`, the issuer of the authorization server.
   * Called for every token. Read a Kubernetes or SPIFFE token from its file here. If it throws, the request rejects with
   * `CALLBACK_FAILED`.
   */
  readonly assertion: (request: { readonly audience: string }) => string | Promise<string>;
  /** Id of the client, if the authorization server requires one besides the JWT. Default: none. */
  readonly clientId?: string | undefined;
  /** Secret of that client. Default: none. */
  readonly clientSecret?: string | undefined;
  /** Private key of that client (`private_key_jwt`). Default: none. */
  readonly clientKey?: OAuthProviderOptions['clientKey'];
  /** The only issuer that the JWT is sent to. Default: the first that the MCP server names, which is stored. */
  readonly clientIssuer?: string | undefined;
}

/** The `grant_type` of JWT assertions. @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1 */
const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * Creates a provider that exchanges the JWT of a workload (Kubernetes, SPIFFE, a cloud) for tokens, so that no secret has
 * to be kept. Its methods reject with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, `AUTH_REJECTED`, `AUTH_SCOPE_INSUFFICIENT`,
 * `CALLBACK_FAILED`, or the codes of the network and the store.
 * @example
 * ```ts
 * const provider = createWorkloadProvider({
 *   url: 'https://mcp.example.com/mcp',
 *   store: memoryStore(),
 *   assertion: () => readFile('/var/run/secrets/tokens/mcp', 'utf8'),
 * });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc7523.html#section-2.1
 */
export function createWorkloadProvider(options: WorkloadOptions): AuthProvider {
  const { clientId = '', clientSecret, clientKey, clientIssuer } = options;
  return createNonInteractiveProvider(options, {
    kind: 'workload',
    async run({ provider, discovered, scopes, dpop }) {
      const { server, network, store } = provider;
      const { authorizationServer, resourceParameter: resource } = discovered;
      const { issuer } = authorizationServer;
      const key = provider.keyOf('oauth-issuer\nworkload');
      const binding = { store, key, server, configured: clientIssuer };
      await checkIssuerBinding(binding, issuer);
      const isPublic = clientSecret === undefined && clientKey === undefined;
      const authenticate = isPublic
        ? clientId === ''
          ? withoutClient
          : None()
        : clientAuthentication(authorizationServer, { secret: clientSecret, key: clientKey });
      // The library requires a client id even if none is sent.
      const client = {
        issuer,
        clientId: clientId || 'workload',
        origin: 'configured',
        authenticate,
      } as const;
      const response = await requestExtensionGrant(
        { network, server, authorizationServer, client, dpop },
        'Requesting a token for the workload',
        JWT_BEARER_GRANT,
        {
          assertion: await assertionOf(options, server, issuer),
          ...targetParameters(resource, scopes),
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
    throw new FittingsError(
      'CALLBACK_FAILED',
      `The "assertion" callback threw while obtaining the JWT for "${server}".`,
      {
        server,
        cause,
      },
    );
  }
  if (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(jwt)) return jwt;
  throw new FittingsError(
    'CALLBACK_FAILED',
    `The "assertion" callback for "${server}" did not return a JWT.`,
    {
      server,
    },
  );
}

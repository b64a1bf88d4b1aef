import {
  clientAuthentication,
  findAuthorizationServer,
  ProviderContext,
  type OAuthClient,
  type TokenRequest,
} from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import { ID_JAG } from '../id-jag/token-exchange.js';
import { checkIdentityProviderConfig, type IdentityProviderOptions } from './options.js';

/** Access to the identity provider, as the configured client. */
export interface IdentityProviderConnection {
  readonly deps: ProviderContext;
  readonly issuer: string;
  readonly clientId: string;
  /** The metadata of the identity provider: read once, and again after a failure. */
  metadata(signal?: AbortSignal): Promise<AuthorizationServer>;
  /** Prepares a request to its token endpoint. `server` is the name of the MCP server in messages. */
  request(options?: {
    readonly server?: string | undefined;
    readonly idToken?: boolean;
    readonly signal?: AbortSignal | undefined;
  }): Promise<TokenRequest>;
}

export function connectToIdentityProvider(options: IdentityProviderOptions): IdentityProviderConnection {
  checkIdentityProviderConfig(options);
  const { issuer, clientId, clientSecret, clientKey, clientAuthMethod, store, network, clock, logger } =
    options;
  const deps = new ProviderContext({
    url: issuer,
    server: new URL(issuer).host,
    store,
    network,
    clock,
    logger,
    principal: options.principal,
  });
  let known: Promise<AuthorizationServer> | undefined;

  const find = async (signal: AbortSignal | undefined): Promise<AuthorizationServer> => {
    const { server } = deps;
    const found = await findAuthorizationServer({ network: deps.network, server, issuer, signal });
    if (found !== undefined) return assertIssuesIdJags(found);
    throw new FittingsError(
      'AUTH_DISCOVERY_FAILED',
      `The identity provider ${issuer} does not publish metadata.`,
      {
        hint: 'Check the issuer of the identity provider in your configuration.',
      },
    );
  };

  const metadata = (signal?: AbortSignal): Promise<AuthorizationServer> => {
    known ??= find(signal).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  return {
    deps,
    issuer,
    clientId,
    metadata,
    async request({ server = deps.server, idToken = false, signal } = {}) {
      const authorizationServer = await metadata(signal);
      const authenticate = clientAuthentication(authorizationServer, {
        secret: clientSecret,
        key: clientKey,
        method: clientAuthMethod,
      });
      const client: OAuthClient = { issuer, clientId, origin: 'configured', authenticate };
      return { network: deps.network, server, authorizationServer, client, idToken, signal };
    },
  };
}

/** A list without ID-JAG means that it does not issue them; no list means nothing. */
function assertIssuesIdJags(found: AuthorizationServer): AuthorizationServer {
  const types = found['identity_chaining_requested_token_types_supported'];
  if (!Array.isArray(types) || types.includes(ID_JAG)) return found;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The identity provider ${found.issuer} does not support cross-app access (ID-JAG).`,
    { hint: 'Ask its administrator to enable cross-app access.' },
  );
}

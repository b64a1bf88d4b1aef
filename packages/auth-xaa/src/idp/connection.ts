import {
  clientAuthentication,
  createProviderDeps,
  findAuthorizationServer,
  type OAuthClient,
  type ProviderDeps,
  type TokenRequest,
} from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';
import { ID_JAG } from '../jag/token-types.js';
import { checkSettings, type IdentityProviderOptions } from './options.js';

/** How the identity provider is reached, and who we are to it. */
export interface Connection {
  readonly context: ProviderDeps;
  readonly issuer: string;
  readonly clientId: string;
  /** Its metadata: read once, and again after a failure. */
  metadata(signal?: AbortSignal): Promise<AuthorizationServer>;
  /** A request to its token endpoint; `server` is who it is for, in messages. */
  request(options?: {
    readonly server?: string | undefined;
    readonly idToken?: boolean;
    readonly signal?: AbortSignal | undefined;
  }): Promise<TokenRequest>;
}

export function createConnection(options: IdentityProviderOptions): Connection {
  checkSettings(options);
  const { issuer, clientId, clientSecret, clientKey, clientAuthMethod, store, network, clock, logger } =
    options;
  const context = createProviderDeps({
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
    const { server } = context;
    const found = await findAuthorizationServer({ network: context.network, server, issuer, signal });
    if (found !== undefined) return checked(found);
    throw new FittingsError('AUTH_DISCOVERY_FAILED', `The identity provider ${issuer} has no metadata.`, {
      hint: 'Check its issuer in your configuration.',
    });
  };

  const metadata = (signal?: AbortSignal): Promise<AuthorizationServer> => {
    known ??= find(signal).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };

  return {
    context,
    issuer,
    clientId,
    metadata,
    async request({ server = context.server, idToken = false, signal } = {}) {
      const authorizationServer = await metadata(signal);
      const authenticate = clientAuthentication(authorizationServer, {
        secret: clientSecret,
        key: clientKey,
        method: clientAuthMethod,
      });
      const client: OAuthClient = { issuer, clientId, origin: 'configured', authenticate };
      return { network: context.network, server, authorizationServer, client, idToken, signal };
    },
  };
}

/** A list without it says that it gives no assertions; no list says nothing. */
function checked(found: AuthorizationServer): AuthorizationServer {
  const types = found['identity_chaining_requested_token_types_supported'];
  if (!Array.isArray(types) || types.includes(ID_JAG)) return found;
  throw new FittingsError(
    'AUTH_DISCOVERY_FAILED',
    `The identity provider ${found.issuer} says that it gives no assertions for other applications.`,
    { hint: 'Its administrator has to turn on cross-app access (ID-JAG).' },
  );
}

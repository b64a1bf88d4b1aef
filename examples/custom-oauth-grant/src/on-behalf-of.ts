import { type AuthProvider, FittingsError } from '@mcp-fittings/client-core';
import type { TokenProviderOptions } from '@mcp-fittings/auth-oauth';
import {
  clientAuthentication,
  createNonInteractiveProvider,
  type GrantedToken,
  type GrantRequest,
  isSameIssuer,
  requestExtensionGrant,
} from '@mcp-fittings/auth-oauth/toolkit';

/** Options of {@link createOnBehalfOfProvider}. */
export interface OnBehalfOfOptions extends TokenProviderOptions {
  /** The only authorization server that receives the secret and the token of the user. */
  readonly issuer: string;
  /** Id of the application at the authorization server. */
  readonly clientId: string;
  /** Secret of the application. */
  readonly clientSecret: string;
  /** Returns the access token with which the user called the application. Called for every new token. */
  readonly subjectToken: () => string | Promise<string>;
}

/**
 * Creates a provider that requests tokens of one MCP server with the token of a user, as Microsoft Entra ID does it. Its methods reject with `POLICY_DENIED` if the
 * server names another authorization server, with `AUTH_FAILED` if it refuses, and with the codes of the network and the store.
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-on-behalf-of-flow
 */
export function createOnBehalfOfProvider(options: OnBehalfOfOptions): AuthProvider {
  return createNonInteractiveProvider(options, {
    kind: 'on-behalf-of',
    run: (request) => requestOnBehalfOf(options, request),
  });
}

async function requestOnBehalfOf(
  { issuer, clientId, clientSecret, subjectToken }: OnBehalfOfOptions,
  { provider: { server, network }, discovered, scopes, dpop, signal }: GrantRequest,
): Promise<GrantedToken> {
  const { authorizationServer, resourceParameter: resource } = discovered;
  if (!isSameIssuer(issuer, authorizationServer.issuer)) {
    throw new FittingsError('POLICY_DENIED', `"${server}" does not use the authorization server ${issuer}.`, {
      server,
      kind: 'auth',
      hint: 'Ask the owner of the server which authorization server it trusts.',
    });
  }
  const authenticate = clientAuthentication(authorizationServer, { secret: clientSecret });
  const client = { issuer, clientId, origin: 'configured', authenticate } as const;
  const response = await requestExtensionGrant(
    { network, server, authorizationServer, client, dpop, signal },
    'Requesting a token on behalf of the user',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    {
      requested_token_use: 'on_behalf_of',
      assertion: await subjectToken(),
      ...(resource !== undefined && { resource }),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    },
  );
  return { response, clientId };
}

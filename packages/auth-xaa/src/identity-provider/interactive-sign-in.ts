import { interactiveGrant } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { IdentityProviderConnection } from './connection.js';
import { signInScopes, type IdentityProviderOptions } from './options.js';
import type { StepUp } from './step-up.js';

/**
 * Sends the user to the identity provider: OpenID Connect with authorization code, PKCE and nonce. Claims and signature of the
 * ID token are verified. Rejects with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, `TIMEOUT`, `ABORTED`.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export async function signInInteractively(
  connection: IdentityProviderConnection,
  options: IdentityProviderOptions,
  { acrValues, maxAge }: StepUp,
  signal: AbortSignal | undefined,
): Promise<TokenEndpointResponse> {
  const { server, clock, policy } = connection.provider;
  const { interaction, callbackPort, allowMissingPkceSupport = false } = options;
  const scopes = signInScopes(options);
  const response = await interactiveGrant({
    ...(await connection.request({ idToken: true, signal })),
    interaction,
    callbackPort,
    clock,
    policy,
    scopes,
    allowMissingPkceSupport,
    maxAge,
    parameters: {
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      ...(acrValues !== undefined && { acr_values: acrValues }),
    },
  });
  if (response.id_token !== undefined) return response;
  throw new FittingsError(
    'AUTH_FAILED',
    `The identity provider ${connection.issuer} did not return an ID token.`,
    {
      server,
      hint: 'Add "openid" to the scopes of the identity provider.',
    },
  );
}

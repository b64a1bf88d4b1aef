import { interactiveGrant } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { Connection } from './connection.js';
import type { IdentityProviderOptions } from './options.js';
import type { StepUp } from './step-up.js';

/**
 * Sends the person to the identity provider: OpenID Connect with code, PKCE and nonce. Claims and signature of the ID token
 * are checked. Rejects with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`, `TIMEOUT`, `ABORTED`.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export async function askPerson(
  connection: Connection,
  options: IdentityProviderOptions,
  { acrValues, maxAge }: StepUp,
  signal: AbortSignal | undefined,
): Promise<TokenEndpointResponse> {
  const { context } = connection;
  const { server, clock, browserTargets } = context;
  const { interaction, callbackPort, allowMissingPkceSupport = false } = options;
  const { scopes = ['openid', 'offline_access'] } = options;
  const response = await interactiveGrant({
    ...(await connection.request({ idToken: true, signal })),
    interaction,
    callbackPort,
    clock,
    browserTargets,
    scopes,
    allowMissingPkceSupport,
    maxAge,
    parameters: {
      ...(scopes.includes('offline_access') && { prompt: 'consent' }),
      ...(acrValues !== undefined && { acr_values: acrValues }),
    },
  });
  if (response.id_token !== undefined) return response;
  throw new FittingsError('AUTH_FAILED', `${connection.issuer} does not say who signed in.`, {
    server,
    hint: 'The scopes of the identity provider have to contain "openid".',
  });
}

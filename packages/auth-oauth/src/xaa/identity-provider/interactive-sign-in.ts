import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { authorizationCodeGrant } from '../../authorization/authorization-code.js';
import { deviceCodeGrant } from '../../authorization/device-code.js';
import { chooseInteraction, withInteraction } from '../../interaction/interaction.js';
import type { IdentityProviderConnection } from './connection.js';
import { signInScopes, type IdentityProviderOptions } from './options.js';
import type { StepUp } from './step-up.js';

/**
 * Signs the user in at the identity provider, as the interaction demands: OpenID Connect with authorization code, PKCE and nonce, or a
 * device code. Claims and signature of the ID token are verified. Rejects with `AUTH_FAILED`, `AUTH_DISCOVERY_FAILED`,
 * `CALLBACK_FAILED`, `TIMEOUT`, `ABORTED`.
 * @see https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth
 */
export async function signInInteractively(
  connection: IdentityProviderConnection,
  options: IdentityProviderOptions,
  { acrValues, maxAge }: StepUp,
  signal: AbortSignal | undefined,
): Promise<TokenEndpointResponse> {
  const { server, clock, policy } = connection.provider;
  const { callbackPort, allowMissingPkceSupport = false } = options;
  const scopes = signInScopes(options);
  const request = await connection.request({ idToken: true, signal });
  const interaction = chooseInteraction(server, options.interaction, request.authorizationServer);
  const parameters = {
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
    ...(acrValues !== undefined && { acr_values: acrValues }),
  };
  const response = await (interaction.kind === 'device'
    ? deviceCodeGrant({ ...request, interaction, scopes, clock, policy })
    : withInteraction(interaction, { server, callbackPort, signal }, (session) =>
        authorizationCodeGrant({ ...request, session, scopes, allowMissingPkceSupport, maxAge, parameters }),
      ));
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

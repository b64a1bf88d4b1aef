import type { Clock } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { MetadataPolicy } from '../discovery/accepted-metadata.js';
import {
  chooseInteraction,
  withInteraction,
  type InteractionChooser,
  type SignInInteraction,
} from '../interaction/interaction.js';
import { authorizationCodeGrant, type AuthorizationRequest } from './authorization-code.js';
import { deviceCodeGrant } from './device-code.js';

/** A request of {@link interactiveGrant}, for a client that needs no registration. */
export interface InteractiveGrantRequest extends Omit<AuthorizationRequest, 'redirectUri'> {
  /** Signs the person in, or is a function that chooses how. Without it the grant rejects with `AUTH_FAILED`. */
  readonly interaction: SignInInteraction | InteractionChooser | undefined;
  /** Port of the redirect URI. Default: any free port. */
  readonly callbackPort?: number | undefined;
  /** Time source of the polling interval and the expiry of a device code. */
  readonly clock: Clock;
  /** Decides which pages the person may be sent to; `policy` of the provider. */
  readonly policy: MetadataPolicy;
}

/**
 * Obtains a token from a person: with the authorization code grant and PKCE in a browser, or with the device authorization
 * grant, as the interaction demands. The `iss` of the redirect must be identical to the issuer that the person was sent to.
 *
 * Rejects with `AUTH_DISCOVERY_FAILED` if the server lacks an endpoint or PKCE, `AUTH_FAILED` if it refuses or there is no
 * interaction (`details.oauthError` has the server's error code), `CALLBACK_FAILED` if a function of the host throws,
 * `TIMEOUT`, `ABORTED`, and the codes of the network.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1
 * @see https://www.rfc-editor.org/rfc/rfc8628.html
 */
export async function interactiveGrant({
  interaction,
  callbackPort,
  clock,
  policy,
  ...request
}: InteractiveGrantRequest): Promise<TokenEndpointResponse> {
  const { server, signal } = request;
  const chosen = chooseInteraction(server, interaction, request.authorizationServer);
  if (chosen.kind === 'device') {
    return deviceCodeGrant({ ...request, interaction: chosen, clock, policy });
  }
  return withInteraction(chosen, { server, callbackPort, signal }, (session) =>
    authorizationCodeGrant({ ...request, session }),
  );
}

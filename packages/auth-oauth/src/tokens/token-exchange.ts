import type { TokenEndpointResponse } from 'oauth4webapi';
import { requestExtensionGrant, targetParameters, type TokenRequest } from './token-endpoint.js';

/** A token that takes part in an exchange. @see https://www.rfc-editor.org/rfc/rfc8693.html#section-3 */
export interface TypedToken {
  /** Kind of token: an access token, a JWT of another kind, an ID token, a refresh token, or a SAML 2.0 assertion. */
  readonly type: 'access_token' | 'jwt' | 'id_token' | 'refresh_token' | 'saml2';
  /** The token itself. */
  readonly token: string;
}

/** Says what {@link exchangeToken} exchanges, and for what. */
export interface ExchangeRequest {
  /** The token of the user. */
  readonly subject: TypedToken;
  /** The token of the program that acts for the user. Default: none; the authorization server knows the client. */
  readonly actor?: TypedToken | undefined;
  /** Kind of the new token, as in the last part of its URN. */
  readonly requested: TypedToken['type'] | 'id-jag';
  /** Name of the service that the new token is for. */
  readonly audience?: string | undefined;
  /** URL of the service that the new token is for. */
  readonly resource?: string | undefined;
  /** The scopes to request. Default: none, which requests those of the subject token. */
  readonly scopes?: readonly string[] | undefined;
}

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TYPE = 'urn:ietf:params:oauth:token-type:';

/**
 * Exchanges a token for another one. `what` begins the message of an error, as in {@link requestExtensionGrant}. Rejects as that does.
 * @see https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1
 */
export function exchangeToken(
  request: TokenRequest,
  what: string,
  { subject, actor, requested, audience, resource, scopes }: ExchangeRequest,
): Promise<TokenEndpointResponse> {
  return requestExtensionGrant(
    request,
    what,
    GRANT,
    {
      requested_token_type: TYPE + requested,
      subject_token: subject.token,
      subject_token_type: TYPE + subject.type,
      ...(actor !== undefined && { actor_token: actor.token, actor_token_type: TYPE + actor.type }),
      ...(audience !== undefined && { audience }),
      ...targetParameters(resource, scopes),
    },
    // Anything but an access token has the `token_type` `N_A`.
    requested === 'access_token' ? {} : { n_a: () => undefined },
  );
}

import { requestExtensionGrant, type TokenRequest } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { tokenExchangeError } from '../errors.js';

/** The token type of an ID-JAG. @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
/** The profile in the metadata of authorization servers that accept ID-JAGs. */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 8693, section 3. */
const TOKEN_TYPES = {
  id_token: 'urn:ietf:params:oauth:token-type:id_token',
  refresh_token: 'urn:ietf:params:oauth:token-type:refresh_token',
  saml2: 'urn:ietf:params:oauth:token-type:saml2',
} as const;

/**
 * The token that identifies the user in a token exchange, from a host that signs users in itself.
 * @see https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1
 */
export interface SubjectToken {
  /** Kind of token: an ID token, a refresh token, or a SAML 2.0 assertion, of the configured identity provider. */
  readonly type: 'id_token' | 'refresh_token' | 'saml2';
  /** The token itself. */
  readonly token: string;
  /**
   * Identifies the user: any string that stays the same for one user and differs between two. Default: issuer and subject of
   * an ID token; for other types the token itself, so that another token counts as another user.
   */
  readonly principal?: string | undefined;
}

/**
 * Makes one token exchange. `what` says in messages what it is for. Rejects with `AUTH_FAILED` when it is refused, or with a
 * code of the network.
 * @see https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1
 */
export function exchangeToken(
  request: TokenRequest,
  what: string,
  { token, type }: SubjectToken,
  parameters: Readonly<Record<string, string>>,
): Promise<TokenEndpointResponse> {
  return requestExtensionGrant(
    request,
    what,
    TOKEN_EXCHANGE,
    { ...parameters, subject_token: token, subject_token_type: TOKEN_TYPES[type] },
    // The result is not an access token: its `token_type` is `n_a`.
    { n_a: () => undefined },
  );
}

/** Visible ASCII, of a length that fits into a request. */
const REFRESH_TOKEN = /^[\x21-\x7e]{1,65536}$/;

/**
 * Exchanges a SAML assertion for a refresh token, which is the sign-in from then on. Rejects with `AUTH_EXCHANGE_FAILED`.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
export async function exchangeSamlForRefreshToken(
  request: TokenRequest,
  assertion: SubjectToken,
): Promise<string> {
  const { server } = request;
  try {
    const reply = await exchangeToken(request, 'Exchanging the SAML assertion', assertion, {
      requested_token_type: TOKEN_TYPES.refresh_token,
      scope: 'openid offline_access',
    });
    const token = reply.refresh_token ?? reply.access_token;
    if (reply['issued_token_type'] === TOKEN_TYPES.refresh_token && REFRESH_TOKEN.test(token)) return token;
  } catch (error) {
    throw tokenExchangeError(error, server);
  }
  throw new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `The identity provider ${request.authorizationServer.issuer} did not return a refresh token for the SAML assertion.`,
    {
      server,
      hint: 'Its administrator must allow this client to exchange SAML assertions for refresh tokens.',
      details: { stage: 'identity-provider' },
    },
  );
}

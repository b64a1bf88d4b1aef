import { exchangeToken, type TokenRequest, type TypedToken } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import { tokenExchangeError } from '../errors.js';

/** The token type of an ID-JAG. @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
/** The profile in the metadata of authorization servers that accept ID-JAGs. */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';
const REFRESH_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:refresh_token';

/**
 * The token that identifies the user in a token exchange, from a host that signs users in itself.
 * @see https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1
 */
export interface SubjectToken extends TypedToken {
  /** Kind of token: an ID token, a refresh token, or a SAML 2.0 assertion, of the configured identity provider. */
  readonly type: 'id_token' | 'refresh_token' | 'saml2';
  /**
   * Identifies the user: any string that stays the same for one user and differs between two. Default: issuer and subject of
   * an ID token; for other types the token itself, so that another token counts as another user.
   */
  readonly principal?: string | undefined;
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
    const reply = await exchangeToken(request, 'Exchanging the SAML assertion', {
      subject: assertion,
      requested: 'refresh_token',
      scopes: ['openid', 'offline_access'],
    });
    const token = reply.refresh_token ?? reply.access_token;
    if (reply['issued_token_type'] === REFRESH_TOKEN_TYPE && REFRESH_TOKEN.test(token)) return token;
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

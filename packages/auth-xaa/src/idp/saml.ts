import type { TokenRequest } from '@mcp-fittings/auth-oauth/toolkit';
import { FittingsError } from '@mcp-fittings/client-core';
import { exchangeFailure } from '../failures.js';
import { exchange } from '../jag/exchange.js';
import { TOKEN_TYPES } from '../jag/token-types.js';
import type { SubjectToken } from './options.js';

/** Visible ASCII of a sane length. */
const TOKEN = /^[\x21-\x7e]{1,65536}$/;

/**
 * Exchanges a SAML assertion for a refresh token, which then is the sign-in. Rejects with `AUTH_EXCHANGE_FAILED`.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
export async function samlToRefreshToken(request: TokenRequest, assertion: SubjectToken): Promise<string> {
  const { server } = request;
  try {
    const reply = await exchange(request, 'Exchanging the SAML assertion', assertion, {
      requested_token_type: TOKEN_TYPES.refresh_token,
      scope: 'openid offline_access',
    });
    const token = reply.refresh_token ?? reply.access_token;
    if (reply['issued_token_type'] === TOKEN_TYPES.refresh_token && TOKEN.test(token)) return token;
  } catch (error) {
    throw exchangeFailure(error, server);
  }
  throw new FittingsError(
    'AUTH_EXCHANGE_FAILED',
    `${request.authorizationServer.issuer} gave no refresh token for the SAML assertion.`,
    { server, details: { stage: 'identity-provider' } },
  );
}

import {
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { requestToken, type TokenRequest } from './token-request.js';

/** One refresh token grant. @see https://www.rfc-editor.org/rfc/rfc6749.html#section-6 */
export function refreshGrant(
  request: TokenRequest,
  refreshToken: string,
  resource?: string,
): Promise<TokenEndpointResponse> {
  return requestToken(
    request,
    'Refreshing the token',
    (as, library, options) =>
      refreshTokenGrantRequest(as, library, request.client.authenticate, refreshToken, {
        ...options,
        ...(resource !== undefined && { additionalParameters: { resource } }),
      }),
    processRefreshTokenResponse,
  );
}

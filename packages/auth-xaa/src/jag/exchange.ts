import { requestExtensionGrant, type TokenRequest } from '@mcp-fittings/auth-oauth/toolkit';
import type { TokenEndpointResponse } from 'oauth4webapi';
import type { SubjectToken } from '../idp/options.js';
import { TOKEN_EXCHANGE, TOKEN_TYPES } from './token-types.js';

/**
 * One token exchange. Rejects with `AUTH_FAILED` when it is refused, or what the network says.
 * @see https://www.rfc-editor.org/rfc/rfc8693.html#section-2.1
 */
export function exchange(
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
    // What comes back is no access token, and says so.
    { n_a: () => undefined },
  );
}

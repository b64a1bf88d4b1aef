import type { AccessRequest } from '../contracts/access.js';
import { refuse } from '../http/refusals.js';

/** Parameters of a `WWW-Authenticate` challenge, in the order in which they are sent. */
export interface ChallengeParameters {
  readonly error?: 'invalid_token' | 'insufficient_scope' | undefined;
  readonly error_description?: string | undefined;
  readonly resource_metadata?: string | undefined;
  /** Scopes, separated by spaces. */
  readonly scope?: string | undefined;
  /** Algorithms of DPoP proofs, separated by spaces. */
  readonly algs?: string | undefined;
}

/**
 * Creates the response that refuses a request with a challenge; its body is a JSON-RPC error. Values are from the configuration or are
 * constants, never from the request.
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-3
 */
export function challenge(
  status: 401 | 403,
  scheme: 'Bearer' | 'DPoP',
  parameters: ChallengeParameters,
): Response {
  const list = Object.entries(parameters).flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [`${name}="${value.replace(/["\\]/g, '\\$&')}"`] : [],
  );
  const { error, error_description: message = 'A valid access token is required.' } = parameters;
  const header = list.length === 0 ? scheme : `${scheme} ${list.join(', ')}`;
  return refuse(status, message, {
    data: error === undefined ? undefined : { error },
    headers: { 'www-authenticate': header, 'cache-control': 'no-store' },
  });
}

/** Splits the `Authorization` header. Both members are empty without one; the scheme is in lower case. */
export function readAuthorization({ headers }: AccessRequest): {
  readonly scheme: string;
  readonly credentials: string;
} {
  const header = headers.get('authorization')?.trim() ?? '';
  const space = header.indexOf(' ');
  if (space < 0) return { scheme: '', credentials: '' };
  return { scheme: header.slice(0, space).toLowerCase(), credentials: header.slice(space + 1).trim() };
}

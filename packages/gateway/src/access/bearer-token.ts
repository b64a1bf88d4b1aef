import { createHash, timingSafeEqual } from 'node:crypto';
import { FittingsError } from '@mcp-fittings/client-core';
import type { Access } from '../contracts/access.js';
import { challenge, readAuthorization } from './challenge.js';

/**
 * Creates an access scheme with one shared secret, for one person or one program. All callers are the caller `bearer`, without a
 * principal: they share the connections and credentials of the host. A request without the secret is refused with a 401.
 * Pass several secrets while one replaces another.
 *
 * A secret has at least 32 characters of `A-Z a-z 0-9 - . _ ~ + /`, with `=` at the end; 32 random bytes in base64url are fine.
 * Throws `CONFIG_INVALID` for a token that is missing (also `undefined`, as of an environment variable that is not set), short, not random or not valid in a header. The error does not contain it.
 * @example
 * ```ts
 * const gateway = createGateway(host, { access: bearerToken(process.env['GATEWAY_TOKEN']) });
 * ```
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-2.1
 */
export function bearerToken(token: string | readonly string[] | undefined): Access {
  const tokens = token === undefined || typeof token === 'string' ? [token] : token;
  if (tokens.length === 0) throw weak('is missing');
  const expected = tokens.map((each) => digest(checked(each)));
  const caller = { id: 'bearer' };
  return {
    async authenticate(request) {
      const { scheme, credentials } = readAuthorization(request);
      if (scheme !== 'bearer') return { refusal: challenge(401, 'Bearer', {}) };
      const received = digest(credentials);
      // Every token is compared, so that the time does not tell which one matches.
      const matches = expected.filter((each) => timingSafeEqual(each, received));
      if (matches.length > 0) return { caller };
      return { refusal: challenge(401, 'Bearer', { error: 'invalid_token' }) };
    },
  };
}

/** Digests have one length, as `timingSafeEqual` requires. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

const MIN_LENGTH = 32;
const MIN_DISTINCT = 10;

function checked(token: string | undefined): string {
  if (token === undefined || token === '') throw weak('is missing');
  if (!/^[\w.~+/-]+=*$/.test(token)) throw weak('contains characters that a header cannot carry');
  if (token.length < MIN_LENGTH) throw weak(`has fewer than ${MIN_LENGTH} characters`);
  if (new Set(token).size < MIN_DISTINCT) throw weak('is not random');
  return token;
}

function weak(why: string): FittingsError {
  return new FittingsError('CONFIG_INVALID', `The token of bearerToken() ${why}.`, {
    hint: 'Create one: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
  });
}

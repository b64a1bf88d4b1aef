import { isRecord } from '@mcp-fittings/client-core';

export interface IdTokenClaims {
  readonly audience: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** What a JWT says of itself, not verified: it came from Google, and its reader verifies it. Undefined: it is no JWT. */
export function claimsOf(token: string): IdTokenClaims | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (!isRecord(claims)) return undefined;
    const { aud, exp } = claims;
    return {
      audience: typeof aud === 'string' ? aud : undefined,
      expiresAt: typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined,
    };
  } catch {
    return undefined;
  }
}

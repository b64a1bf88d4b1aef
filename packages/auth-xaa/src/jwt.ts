import { isRecord } from '@mcp-fittings/client-core';

/** What a signed JWT says, read without its key: for checks that come on top of whoever verifies the signature. */
export interface JwtContent {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Longer ones are no tokens of a sane server, and would not fit into its requests. */
const MAX_LENGTH = 65_536;
const PART = '[A-Za-z0-9_-]+';
const SIGNED = new RegExp(`^(${PART})\\.(${PART})\\.${PART}$`);
const ENCRYPTED = new RegExp(`^${PART}\\.[A-Za-z0-9_-]*\\.${PART}\\.${PART}\\.${PART}$`);

/** Undefined for anything that is no signed JWT: too long, unsigned, encrypted, not JSON. */
export function readJwt(text: string): JwtContent | undefined {
  const parts = text.length > MAX_LENGTH ? null : SIGNED.exec(text);
  const header = objectOf(parts?.[1]);
  const claims = objectOf(parts?.[2]);
  return header && claims && { header, claims };
}

/** Only its audience can read it. */
export function isEncryptedJwt(text: string): boolean {
  return text.length <= MAX_LENGTH && ENCRYPTED.test(text);
}

function objectOf(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (part === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The audience is this one and no other. */
export function isOnly(claim: unknown, expected: string): boolean {
  return claim === expected || (Array.isArray(claim) && claim.length === 1 && claim[0] === expected);
}

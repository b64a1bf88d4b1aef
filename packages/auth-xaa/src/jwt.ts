import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';

/** The content of a signed JWT, read without its key: for checks in addition to verifying the signature. */
export interface JwtContent {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A longer token would not fit into a request. */
const MAX_LENGTH = 65_536;
const PART = '[A-Za-z0-9_-]+';
const SIGNED = new RegExp(`^(${PART})\\.(${PART})\\.${PART}$`);
const ENCRYPTED = new RegExp(`^${PART}\\.[A-Za-z0-9_-]*\\.${PART}\\.${PART}\\.${PART}$`);

/** Undefined for anything but a signed JWT: too long, unsigned, encrypted, not JSON. */
export function readJwt(text: string): JwtContent | undefined {
  const parts = text.length > MAX_LENGTH ? null : SIGNED.exec(text);
  const header = decodePart(parts?.[1]);
  const claims = decodePart(parts?.[2]);
  return header && claims && { header, claims };
}

/** Returns true if the text is an encrypted JWT (JWE), which only its audience can read. */
export function isEncryptedJwt(text: string): boolean {
  return text.length <= MAX_LENGTH && ENCRYPTED.test(text);
}

function decodePart(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (part === undefined) return undefined;
  const value = parseJson(Buffer.from(part, 'base64url').toString());
  return isRecord(value) ? value : undefined;
}

/** Returns true if a claim such as `aud` has this value and no other. */
export function isOnly(claim: unknown, expected: string): boolean {
  return claim === expected || (Array.isArray(claim) && claim.length === 1 && claim[0] === expected);
}

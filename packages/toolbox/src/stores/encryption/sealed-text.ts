import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { storeError } from '../store-error.js';
import { parseValue } from '../stored-value.js';
import { resolveKey, type EncryptionKey, type KeySource } from './encryption-key.js';

const ALGORITHM = 'aes-256-gcm';
/** 96 random bits per encryption: NIST SP 800-38D allows 2^32 encryptions with one key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts the text of one entry with AES-256-GCM. The result is a line of JSON that {@link unseal} accepts only for the
 * same entry and key.
 */
export function seal(entry: string, text: string, key: EncryptionKey): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(entry, key.id));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return JSON.stringify({ v: 1, keyId: key.id, iv: base64(iv), sealed: base64(sealed) });
}

/**
 * Decrypts what {@link seal} returned. Rejects with `STORE_CORRUPT` when a bit differs or it was sealed for another entry,
 * and with what {@link resolveKey} rejects with.
 */
export async function unseal(entry: string, envelope: string, keys: KeySource): Promise<string> {
  const { v, keyId, iv, sealed } = parseValue(envelope) ?? {};
  if (v !== 1 || typeof keyId !== 'string' || typeof iv !== 'string' || typeof sealed !== 'string') {
    throw corrupt();
  }
  const nonce = Buffer.from(iv, 'base64url');
  const bytes = Buffer.from(sealed, 'base64url');
  if (nonce.length !== IV_BYTES || bytes.length < TAG_BYTES) throw corrupt();
  const key = await resolveKey(keys, keyId);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additionalData(entry, keyId));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw corrupt(cause);
  }
}

function additionalData(entry: string, keyId: string): Buffer {
  return Buffer.from(JSON.stringify(['mcp-fittings', 1, entry, keyId]));
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function corrupt(cause?: unknown): Error {
  return storeError(
    'STORE_CORRUPT',
    'A stored credential could not be decrypted: it was changed, truncated, moved from another entry, or encrypted with another key.',
    { cause, hint: 'Sign in again to replace it.' },
  );
}

import { FittingsError } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';

/** A key of AES-256 and its id. */
export interface EncryptionKey {
  /**
   * Identifies the key, so that it can be rotated: 1 to 256 characters, stored unencrypted next to everything that the key
   * encrypts.
   */
  readonly id: string;
  /** The key itself: 32 random bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Returns the key with this id or, when called without an id, the key to encrypt with. Returns undefined when there is no
 * such key; what it encrypted is then `STORE_LOCKED`. To rotate, return a new key without an id and keep the old ones
 * available by id. Keep keys in a key management service, a TPM or a keychain: a key in a file next to the data protects
 * nothing.
 */
export type KeySource = (id?: string) => EncryptionKey | undefined | Promise<EncryptionKey | undefined>;

/** Length of a key of AES-256, in bytes. */
export const KEY_BYTES = 32;
const MAX_ID_LENGTH = 256;

/**
 * Asks the source for a key and checks what it returns. Rejects with `STORE_LOCKED` without a key, `CONFIG_INVALID` for a
 * malformed one, and `CALLBACK_FAILED` when the source throws.
 */
export async function resolveKey(source: KeySource, id?: string): Promise<EncryptionKey> {
  let key: EncryptionKey | undefined;
  try {
    key = await source(id);
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw storeError('CALLBACK_FAILED', "Could not obtain the credential store's encryption key.", {
      cause,
      hint: 'See the cause: the `key` callback of the store threw it.',
    });
  }
  if (key === undefined || (id !== undefined && key.id !== id)) {
    throw storeError(
      'STORE_LOCKED',
      id === undefined
        ? 'The credential store has no key to encrypt with.'
        : 'The key that a stored credential was encrypted with is not available.',
      {
        hint: 'Return the key with this id from the `key` callback, or sign in again.',
        details: { keyId: id },
      },
    );
  }
  if (!(key.bytes instanceof Uint8Array) || key.bytes.length !== KEY_BYTES || !isId(key.id)) {
    throw storeError(
      'CONFIG_INVALID',
      `An encryption key must have ${KEY_BYTES} bytes, and an id of 1 to ${MAX_ID_LENGTH} characters.`,
    );
  }
  return key;
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_LENGTH;
}

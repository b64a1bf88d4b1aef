import { FittingsError } from '@mcp-fittings/client-core';
import { storeError } from '../store-error.js';

export interface EncryptionKey {
  /** Which key it is, so that keys can be replaced: written, readable, beside everything that it encrypts. */
  readonly id: string;
  /** 32 random bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Gives the key with this id, or, without an id, the one to encrypt with. Undefined: there is no such key (any more).
 * Keep keys in a key management service, a TPM or a keychain: a key in a file beside the data encrypts nothing.
 */
export type KeySource = (id?: string) => EncryptionKey | undefined | Promise<EncryptionKey | undefined>;

export const KEY_BYTES = 32;
const LONGEST_ID = 256;

/** Asks the source and does not trust what it says. */
export async function resolveKey(source: KeySource, id?: string): Promise<EncryptionKey> {
  let key: EncryptionKey | undefined;
  try {
    key = await source(id);
  } catch (cause) {
    if (cause instanceof FittingsError) throw cause;
    throw storeError('CALLBACK_FAILED', 'The key of the credential store could not be had.', { cause });
  }
  if (key === undefined || (id !== undefined && key.id !== id)) {
    throw storeError('STORE_LOCKED', 'There is no key for the stored credential.', {
      hint: 'Provide the key with which it was encrypted, or sign in again.',
      details: { keyId: id },
    });
  }
  if (!(key.bytes instanceof Uint8Array) || key.bytes.length !== KEY_BYTES || !isId(key.id)) {
    throw storeError(
      'CONFIG_INVALID',
      `A key has ${KEY_BYTES} bytes and an id of 1 to ${LONGEST_ID} characters.`,
    );
  }
  return key;
}

function isId(id: unknown): boolean {
  return typeof id === 'string' && id.length > 0 && id.length <= LONGEST_ID;
}

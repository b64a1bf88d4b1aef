/**
 * For authors of a token store: locks, names for entries, encryption, and one serialized form of values.
 *
 * @packageDocumentation
 */
export { FileLocks, type FileLocksOptions } from './stores/locks/file-locks.js';
export { busyError, KeyedMutex } from './stores/locks/keyed-mutex.js';
export { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockOptions } from './stores/locks/lock-options.js';
export { entryName } from './stores/entry-name.js';
export {
  KEY_BYTES,
  resolveKey,
  type EncryptionKey,
  type KeySource,
} from './stores/encryption/encryption-key.js';
export { seal, unseal } from './stores/encryption/sealed-text.js';
export { asStoreError, storeError } from './stores/store-error.js';
export { MAX_VALUE_BYTES, parseValue, serializeValue } from './stores/stored-value.js';

/**
 * For authors of a token store: locks, names for entries, encryption, and one serialized form of values.
 * @packageDocumentation
 */
export { createFileLocks, type FileLocks, type FileLocksOptions } from './locks/file-locks.js';
export { busyError, createKeyedMutex, type KeyedMutex } from './locks/keyed-mutex.js';
export { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockOptions } from './locks/lock-options.js';
export { entryName } from './entry-name.js';
export { resolveKey, type EncryptionKey, type KeySource } from './encryption/encryption-key.js';
export { seal, unseal } from './encryption/sealed-text.js';
export { asStoreError, storeError } from './store-error.js';
export { MAX_VALUE_BYTES, parseValue, serializeValue } from './stored-value.js';

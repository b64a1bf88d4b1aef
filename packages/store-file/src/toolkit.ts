/** For authors of a token store: locks, names for entries, encryption, and the one form of a value. */
export { isMarkOfDeadProcess, makeProcessMark } from './locks/process-mark.js';
export { createFileLocks, type FileLocks, type FileLocksOptions } from './locks/file-locks.js';
export { busyError, createKeyedMutex, type KeyedMutex } from './locks/keyed-queue.js';
export { DEFAULT_STALE_MS, DEFAULT_WAIT_MS, type LockOptions } from './locks/lock-times.js';
export { entryName } from './entry-name.js';
export { resolveKey, type EncryptionKey, type KeySource } from './encryption/encryption-key.js';
export { seal, unseal } from './encryption/sealed-text.js';
export { asStoreError, storeError } from './store-error.js';
export { MAX_VALUE_BYTES, serializeValue, parseValue } from './value-text.js';

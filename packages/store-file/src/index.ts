/** For hosts: where credentials are kept when not in a keychain. Authors of a store: `./toolkit`. */
export { memoryStore, type MemoryStoreOptions } from './memory-store.js';
export { fileStore, type FileStoreOptions } from './file-store.js';
export { encryptedFileStore, type EncryptedFileStoreOptions } from './encrypted-file-store.js';
export type { EncryptionKey, KeySource } from './encryption/encryption-key.js';
export type { ConsentQuestion } from './files/plaintext-consent.js';
export type { LockOptions } from './locks/lock-times.js';

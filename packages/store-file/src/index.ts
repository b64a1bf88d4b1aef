/**
 * Credential stores for one machine: in memory, in an encrypted file, or in a private file.
 * @packageDocumentation
 */
export { memoryStore, type MemoryStoreOptions } from './memory-store.js';
export { fileStore, type FileStoreOptions } from './file-store.js';
export { encryptedFileStore, type EncryptedFileStoreOptions } from './encrypted-file-store.js';
export { fileRecords, type FileRecord, type FileRecords, type FileRecordsOptions } from './file-records.js';
export type { StoreDirectoryOptions } from './entry-files.js';
export type { ConsentQuestion } from './plaintext-consent.js';

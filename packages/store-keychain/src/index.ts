/**
 * Credentials in the keychain of the operating system.
 * @packageDocumentation
 */
export { keychainStore, type KeychainStore } from './keychain-store.js';
export type { CorruptEntryEvent, KeychainStoreOptions } from './keychain-options.js';
export type { CorruptEntryReason } from './items/documents.js';
export type { KeychainState, KeychainStatus } from './items/keychain-status.js';
export type { KeychainDriver, KeytarLike, KeytarModule } from './driver/keychain-driver.js';

/** For hosts: credentials in the keychain of the operating system. */
export { keychainStore, type KeychainStore } from './keychain.js';
export type { CorruptEntryEvent, KeychainStoreOptions } from './keychain-options.js';
export type { KeychainState, KeychainStatus } from './status.js';
export type { KeychainDriver, KeytarModule } from './drivers/driver-spec.js';
export type { KeytarLike } from './drivers/keytar-like.js';

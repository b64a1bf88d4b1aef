/** For hosts: credentials in the keychain of the operating system. */
export { keychain, type Keychain } from './keychain.js';
export type { CorruptEntryEvent, KeychainOptions } from './keychain-options.js';
export type { KeychainState, KeychainStatus } from './status.js';
export type { KeychainDriver, KeytarModule } from './drivers/driver-spec.js';
export type { KeytarLike } from './drivers/keytar-like.js';

/**
 * The functions of `keytar` that are called, so that the module itself, a fork or a test double can be the driver. The find
 * functions are not: on a locked keyring those of keytar 7.9 end the process, and those of its forks find nothing.
 */
export interface KeytarLike {
  /** Resolves with the password of an item, or with `null` when there is no such item. */
  getPassword(service: string, account: string): Promise<string | null>;
  /** Creates or replaces an item. */
  setPassword(service: string, account: string, password: string): Promise<unknown>;
  /** Deletes an item. Resolves with false when there is no such item. */
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** A module that exports the functions of `keytar`, by name or as its default export. */
export interface KeytarModule {
  /** Absolute path or `file:` URL of the module. */
  readonly module: string | URL;
}

/**
 * Accesses the keychain of the operating system: the name of a package, a module, or an object. Drivers do not see each
 * other's items, so a host stays with one; the store never switches drivers by itself.
 */
export type KeychainDriver = '@napi-rs/keyring' | '@github/keytar' | KeytarModule | KeytarLike;

/** A driver that another process can load. */
export type DriverSpec = '@napi-rs/keyring' | '@github/keytar' | { readonly module: string };

export function isKeytarLike(driver: KeychainDriver): driver is KeytarLike {
  return typeof driver === 'object' && 'getPassword' in driver;
}

/** The name of a driver in messages. */
export function driverName(driver: KeychainDriver): string {
  if (typeof driver === 'string') return driver;
  return isKeytarLike(driver) ? 'the given keytar' : String(driver.module);
}

/** Returns true if "no such item" from this driver means nothing else. keytar and its forks also say so for an item in a locked keyring. */
export function provesAbsence(driver: KeychainDriver): boolean {
  return driver === '@napi-rs/keyring';
}

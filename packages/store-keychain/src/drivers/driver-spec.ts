import type { KeytarLike } from './keytar-like.js';

/** A module with the functions of `keytar`, as its default export or as named ones: absolute path or `file:` URL. */
export interface KeytarModule {
  readonly module: string | URL;
}

/**
 * What talks to the operating system. Each keeps its items apart from the others', so a host stays with one:
 * nothing here ever changes the driver by itself.
 */
export type KeychainDriver = '@napi-rs/keyring' | '@github/keytar' | KeytarModule | KeytarLike;

/** The same, without what can not be handed to another process. */
export type DriverSpec = '@napi-rs/keyring' | '@github/keytar' | { readonly module: string };

export function isKeytarLike(driver: KeychainDriver): driver is KeytarLike {
  return typeof driver === 'object' && 'getPassword' in driver;
}

/** What messages call it. */
export function nameOfDriver(driver: KeychainDriver): string {
  if (typeof driver === 'string') return driver;
  return isKeytarLike(driver) ? 'the given keytar' : String(driver.module);
}

/**
 * Whether "no such item" is the driver's answer for nothing else. keytar and its forks also say so for an item in a
 * locked keyring.
 */
export function provesAbsence(driver: KeychainDriver): boolean {
  return driver === '@napi-rs/keyring';
}

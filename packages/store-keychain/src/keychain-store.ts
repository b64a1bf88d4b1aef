import { homedir } from 'node:os';
import { join } from 'node:path';
import { FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { ownFolder } from '@mcp-fittings/toolbox/files';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { FileLocks, entryName, serializeValue } from '@mcp-fittings/toolbox/stores';
import { createDriverConnection } from './driver/driver-connection.js';
import { driverName, provesAbsence } from './driver/keychain-driver.js';
import { createDocuments, type CorruptEntryReason } from './items/documents.js';
import { createKeychainItems } from './items/keychain-items.js';
import type { KeychainStatus } from './items/keychain-status.js';
import { bundleLayout, createKeychainLock, entriesLayout } from './items/layout.js';
import { checkOptions, type KeychainStoreOptions } from './keychain-options.js';

/** A {@link TokenStore} in the keychain of the operating system. */
export interface KeychainStore extends TokenStore, AsyncDisposable {
  /**
   * Tests the keychain by writing, reading back and deleting an item, so that a host can choose another store before it needs
   * one. A lock that fails counts as `unavailable`. Does not reject.
   */
  status(): Promise<KeychainStatus>;
  /** Ends the helper process. The next call starts a new one. */
  close(): Promise<void>;
}

const DEFAULT_SERVICE = 'mcp-fittings';
const DEFAULT_TIMEOUT_MS = 2500;
/** Windows allows 2560 bytes per item, which is 1280 characters of UTF-16; the rest is room for what a driver adds. */
const DEFAULT_CHUNK_CHARACTERS = 1200;

/**
 * Creates a {@link TokenStore} in macOS Keychain, Windows Credential Manager or, on Linux, a Secret Service; never in the
 * kernel's keyring, which does not survive a restart. Without a keychain its methods reject: the host decides what to do then.
 * Native code is not loaded before the first use.
 *
 * Throws `CONFIG_INVALID` for options that contradict each other. Its methods reject with `STORE_LOCKED`, `STORE_UNAVAILABLE`
 * (`details.state` has the {@link KeychainState}), `STORE_VALUE_INVALID` above 64 KB, `STORE_INSECURE` when the lock directory
 * is not private, `STORE_BUSY`, and `STORE_LOCK_LOST`.
 * @example
 * const keychain = keychainStore({ service: 'my-agent' });
 * const { state } = await keychain.status();
 * const store = state === 'available' ? keychain : memoryStore();
 */
export function keychainStore(options: KeychainStoreOptions = {}): KeychainStore {
  checkOptions(options);
  const isMac = process.platform === 'darwin';
  const {
    service = DEFAULT_SERVICE,
    driver = '@napi-rs/keyring',
    isolation = 'process',
    timeoutMs = DEFAULT_TIMEOUT_MS,
    execPath,
    layout: layoutName = isMac ? 'bundle' : 'entries',
    chunkCharacters = isMac ? Infinity : DEFAULT_CHUNK_CHARACTERS,
    lockDirectory = join(ownFolder('state', homedir()), 'keychain-locks'),
    clock = systemClock,
    onCorrupt,
  } = options;

  const connection = createDriverConnection({ driver, isolation, timeoutMs, clock, execPath });
  const items = createKeychainItems({
    connection,
    service: safeServiceName(service),
    driver: driverName(driver),
    provesAbsence: provesAbsence(driver),
  });
  const locks = new FileLocks({ ...options.lock, directory: lockDirectory, clock });
  const report = (entry: string, reason: CorruptEntryReason): void => {
    try {
      onCorrupt?.({ entry, reason });
    } catch {
      // There is nowhere to report an error of the handler that reports.
    }
  };
  const documents = createDocuments({ items, chunkCharacters, onCorrupt: report });
  const keychainLock = createKeychainLock(locks);
  const layout =
    layoutName === 'bundle'
      ? bundleLayout(documents, keychainLock, entryName(service, 'bundle'), report)
      : entriesLayout(documents, keychainLock);
  const entryOf = (key: string): string => entryName(service, 'entry', key);
  const lockName = (key: string): string => `use ${entryOf(key)}`;
  const assertLockHeld = (key: string) => (): Promise<void> => locks.assertNotLost(lockName(key));

  return {
    get: (key) => layout.get(entryOf(key)),
    set: async (key, value) => layout.set(entryOf(key), serializeValue(value), assertLockHeld(key)),
    delete: (key) => layout.delete(entryOf(key), assertLockHeld(key)),
    withLock: (key, work) => locks.run(lockName(key), work),
    async status() {
      try {
        return await keychainLock.run(() => items.probe());
      } catch (error) {
        // The call could not be made at all.
        if (error instanceof FittingsError)
          return { state: 'unavailable', driver: driverName(driver), error };
        throw error;
      }
    },
    close: async () => connection[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

/** Native keychains cut a name at NUL or reject it. The accounts are hashes that include the whole name. */
function safeServiceName(service: string): string {
  return /^[\u0021-\u007e][\u0020-\u007e]{0,63}$/.test(service)
    ? service
    : `${DEFAULT_SERVICE}:${entryName(service)}`;
}

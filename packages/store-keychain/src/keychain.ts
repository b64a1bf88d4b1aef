import { FittingsError, systemClock, type TokenStore } from '@mcp-fittings/client-core/auth';
import { createFileLocks, entryName, textOfValue } from '@mcp-fittings/store-file/toolkit';
import { nameOfDriver, provesAbsence } from './drivers/driver-spec.js';
import { createCaller } from './isolation/create-caller.js';
import { createDocuments, type Corruption } from './items/documents.js';
import { bundleLayout, entriesLayout } from './items/layout.js';
import { createTurns } from './items/turns.js';
import { createVault } from './items/vault.js';
import { checkOptions, type KeychainOptions } from './keychain-options.js';
import { defaultLockDirectory } from './lock-directory.js';
import type { KeychainStatus } from './status.js';

/** A {@link TokenStore} in the keychain of the operating system. Disposing ends its helper process. */
export interface Keychain extends TokenStore, AsyncDisposable {
  /** Tries it out with an item of its own, so that a host can choose another store before it needs one. */
  status(): Promise<KeychainStatus>;
  /** Ends the helper process. The same as disposing of it. */
  close(): Promise<void>;
}

const DEFAULT_SERVICE = 'mcp-fittings';
const DEFAULT_TIMEOUT_MS = 2500;
/** Windows takes 2560 bytes an item, which is 1280 characters of UTF-16; the rest is room for what a driver adds. */
const DEFAULT_CHUNK_CHARACTERS = 1200;

/**
 * Keeps credentials in macOS Keychain, Windows Credential Manager or, on Linux, a Secret Service; never in the kernel's
 * keyring, which forgets, and never anywhere else: what to do without a keychain is the host's decision.
 *
 * Rejects with STORE_LOCKED, STORE_UNAVAILABLE (`details.state` says which), STORE_VALUE_INVALID above 64 KB,
 * STORE_INSECURE where the lock directory is not private, STORE_BUSY, STORE_LOCK_LOST. Nothing native is loaded before
 * the first use.
 */
export function keychain(options: KeychainOptions = {}): Keychain {
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
    lockDirectory = defaultLockDirectory(),
    clock = systemClock,
    onCorrupt,
  } = options;

  const caller = createCaller({ driver, isolation, timeoutMs, clock, execPath });
  const vault = createVault({
    caller,
    service: plainName(service),
    driver: nameOfDriver(driver),
    provesAbsence: provesAbsence(driver),
  });
  const locks = createFileLocks({ ...options.lock, directory: lockDirectory, clock });
  const report = (entry: string, reason: Corruption): void => {
    try {
      onCorrupt?.({ entry, reason });
    } catch {
      // A handler that throws while it is told of a problem leaves nobody to tell.
    }
  };
  const documents = createDocuments({ vault, chunkCharacters, onCorrupt: report });
  const turns = createTurns(locks);
  const layout =
    layoutName === 'bundle'
      ? bundleLayout(documents, turns, entryName(service, 'bundle'), report)
      : entriesLayout(documents, turns);
  const entryOf = (key: string): string => entryName(service, 'entry', key);
  const lockOf = (key: string): string => `use ${entryOf(key)}`;
  const standing = (key: string) => (): Promise<void> => locks.assertNotLost(lockOf(key));

  return {
    get: (key) => layout.get(entryOf(key)),
    set: async (key, value) => layout.set(entryOf(key), textOfValue(value), standing(key)),
    delete: (key) => layout.delete(entryOf(key), standing(key)),
    withLock: (key, work) => locks.run(lockOf(key), work),
    async status() {
      try {
        return await turns.take(() => vault.probe());
      } catch (error) {
        // No call could be made at all.
        if (error instanceof FittingsError)
          return { state: 'unavailable', driver: nameOfDriver(driver), error };
        throw error;
      }
    },
    close: async () => caller[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => caller[Symbol.asyncDispose](),
  };
}

/** Native keychains cut a name at NUL or refuse it; the accounts are hashes that have the whole name in them. */
function plainName(service: string): string {
  return /^[\u0021-\u007e][\u0020-\u007e]{0,63}$/.test(service)
    ? service
    : `${DEFAULT_SERVICE}:${entryName(service)}`;
}

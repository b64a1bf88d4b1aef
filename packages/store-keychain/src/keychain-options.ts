import type { Clock } from '@mcp-fittings/client-core';
import { storeError, type LockOptions } from '@mcp-fittings/toolbox/stores';
import { isKeytarLike, type KeychainDriver } from './driver/keychain-driver.js';
import type { CorruptEntryReason } from './items/documents.js';

/** Reports an entry that exists and cannot be read. The store treats it as absent. */
export interface CorruptEntryEvent {
  /** Name of the keychain item: a hash of the key. */
  readonly entry: string;
  /** Reason why the entry could not be read. */
  readonly reason: CorruptEntryReason;
}

/** Options of {@link keychainStore}. */
export interface KeychainStoreOptions {
  /**
   * Service name of the items in the keychain, which the system shows to the user; stores with another service do not see
   * each other's entries. Default `mcp-fittings`.
   */
  readonly service?: string | undefined;
  /** Accesses the keychain. Another driver does not see the items of this one. Default `@napi-rs/keyring`. */
  readonly driver?: KeychainDriver | undefined;
  /**
   * Chooses where the driver runs. `process`: in a helper process, so that a crash or hang of native code does not affect the host.
   * `in-process`: in the host, for programs that are a single binary, and for drivers that are objects. Default `process`, or `in-process`
   * for a driver that is an object.
   */
  readonly isolation?: 'process' | 'in-process' | undefined;
  /**
   * Longest wait for one operation on the keychain, in milliseconds. Raise it when the user can answer a prompt. Default 2500.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Chooses how entries are stored. `entries`: one item per entry. `bundle`: one item for all, because macOS may ask the user once per
   * item. Entries of the other layout are not visible. Default `bundle` on macOS, `entries` elsewhere.
   */
  readonly layout?: 'entries' | 'bundle' | undefined;
  /** Longest item, in characters; a longer value is split into several items. At least 256. Default 1200, unlimited on macOS. */
  readonly chunkCharacters?: number | undefined;
  /**
   * Directory of the locks, created with mode 0700 when missing. All programs that share the keychain must use the same one.
   * Default: a directory in the user's home, the same for every program.
   */
  readonly lockDirectory?: string | undefined;
  /** Time limits of `withLock`: how long it waits, and when a holder that shows no sign of life loses the lock. */
  readonly lock?: LockOptions | undefined;
  /** Path of the Node binary that runs the helper process. Default: the one that runs this program. */
  readonly execPath?: string | undefined;
  /** Called when an entry exists and cannot be read. Errors that it throws are ignored. */
  readonly onCorrupt?: ((event: CorruptEntryEvent) => void) | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The header of a document that is split into chunks must fit into one item. */
const MIN_CHUNK_CHARACTERS = 256;

export function checkOptions({ driver, isolation, timeoutMs, chunkCharacters }: KeychainStoreOptions): void {
  if (driver !== undefined && isKeytarLike(driver) && isolation === 'process') {
    throw invalid(
      'A keychain driver that is an object cannot run in another process.',
      "Pass the path of its module as `{ module }`, or `isolation: 'in-process'`.",
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw invalid('The option `timeoutMs` of the keychain store must be a positive number.');
  }
  if (chunkCharacters !== undefined && !(chunkCharacters >= MIN_CHUNK_CHARACTERS)) {
    throw invalid(
      `The option \`chunkCharacters\` of the keychain store must be at least ${MIN_CHUNK_CHARACTERS}.`,
    );
  }
}

function invalid(message: string, hint?: string): Error {
  return storeError('CONFIG_INVALID', message, { hint });
}

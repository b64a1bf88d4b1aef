import type { Clock } from '@mcp-fittings/client-core';
import { storeError, type LockOptions } from '@mcp-fittings/store-file/toolkit';
import { isKeytarLike, type KeychainDriver } from './drivers/driver-spec.js';
import type { Corruption } from './items/documents.js';

/** An entry that was there and could not be read: the store answers as if it were absent. */
export interface CorruptEntryEvent {
  /** Name of the keychain item: a hash of the key. */
  readonly entry: string;
  readonly reason: Corruption;
}

export interface KeychainStoreOptions {
  /** Name under which items stand in the keychain; of one program, or shared by several. Default `mcp-fittings`. */
  readonly service?: string | undefined;
  /** Default `@napi-rs/keyring`. Another driver does not see the items of this one. */
  readonly driver?: KeychainDriver | undefined;
  /**
   * `process`: native code runs in a helper process, whose crash or hang ends nothing else. `in-process`: for programs
   * that are one binary, and for a driver that is an object. Default `process`, or `in-process` for such a driver.
   */
  readonly isolation?: 'process' | 'in-process' | undefined;
  /** Longest wait for one keychain operation, milliseconds. Default 2500: nobody is there to answer a prompt. */
  readonly timeoutMs?: number | undefined;
  /**
   * `entries`: an item for each entry. `bundle`: one for all, because macOS may ask the person for each item.
   * Default `bundle` on macOS, `entries` elsewhere. To change it is to lose sight of what was stored.
   */
  readonly layout?: 'entries' | 'bundle' | undefined;
  /** Longest item, in characters; more is spread over several. Default 1200, on macOS no limit. */
  readonly chunkCharacters?: number | undefined;
  /** Private directory for the locks. Default in the user's own: all programs that share the keychain have to agree. */
  readonly lockDirectory?: string | undefined;
  readonly lock?: LockOptions | undefined;
  /** Node that runs the helper process. Default the one that runs this program. */
  readonly execPath?: string | undefined;
  readonly onCorrupt?: ((event: CorruptEntryEvent) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** The head of a document that is in parts has to fit into one item. */
const LEAST_CHUNK_CHARACTERS = 256;

export function checkOptions({ driver, isolation, timeoutMs, chunkCharacters }: KeychainStoreOptions): void {
  if (driver !== undefined && isKeytarLike(driver) && isolation === 'process') {
    throw invalid(
      'A driver that is an object can not be used in another process.',
      'Give its path as `{ module }`.',
    );
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw invalid('`timeoutMs` has to be a positive number.');
  if (chunkCharacters !== undefined && !(chunkCharacters >= LEAST_CHUNK_CHARACTERS)) {
    throw invalid(`\`chunkCharacters\` has to be ${LEAST_CHUNK_CHARACTERS} or more.`);
  }
}

function invalid(message: string, hint?: string): Error {
  return storeError('CONFIG_INVALID', message, { hint });
}

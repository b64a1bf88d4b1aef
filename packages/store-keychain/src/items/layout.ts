import type { StoredValue } from '@mcp-fittings/client-core';
import { type FileLocks, storeError, parseValue } from '@mcp-fittings/toolbox/stores';
import type { CorruptEntryReason, Documents, Guard } from './documents.js';

/**
 * One lock for the whole keychain. All programs that share the lock directory access it one after the other, readers too:
 * gnome-keyring 42 aborts, and locks the keyring again, when one client reads while another one writes, even another item.
 */
export interface KeychainLock {
  /** Runs `work` with the lock. `assertHeld` rejects when this process has lost the lock because it was suspended. */
  run<T>(work: (assertHeld: Guard) => Promise<T>): Promise<T>;
}

const NAME = 'keychain';

export function createKeychainLock(locks: FileLocks): KeychainLock {
  return { run: (work) => locks.run(NAME, () => work(() => locks.assertNotLost(NAME))) };
}

/** Distributes entries over documents. The names of entries are hashes. */
export interface Layout {
  get(entry: string): Promise<StoredValue | undefined>;
  /** `json` is ASCII. */
  set(entry: string, json: string, guard: Guard): Promise<void>;
  delete(entry: string, guard: Guard): Promise<void>;
}

/** One document per entry: a write changes nothing else. */
export function entriesLayout(documents: Documents, lock: KeychainLock): Layout {
  return {
    get: (entry) => lock.run(() => documents.read(entry)),
    set: (entry, json, guard) =>
      lock.run((assertHeld) => documents.write(entry, json, both(assertHeld, guard))),
    delete: (entry, guard) => lock.run((assertHeld) => documents.remove(entry, both(assertHeld, guard))),
  };
}

const ENTRY_NAME = /^[\w-]{43}$/;
/** Larger items are not practical in a keychain. */
const MAX_BUNDLE_CHARACTERS = 1024 * 1024;

/**
 * All entries in one document of this name, because macOS asks the user once per item when the program that reads it is not
 * the one that wrote it, as after an update of Node. Entries are strings inside the JSON, so all of it is ASCII.
 */
export function bundleLayout(
  documents: Documents,
  lock: KeychainLock,
  name: string,
  onCorrupt: (entry: string, reason: CorruptEntryReason) => void,
): Layout {
  const textOf = (entry: string, found: unknown): string | undefined => {
    if (typeof found === 'string' && parseValue(found) !== undefined) return found;
    // Only names that this package writes are reported.
    onCorrupt(ENTRY_NAME.test(entry) ? entry : name, 'entry-malformed');
    return undefined;
  };
  /** The readable entries. Others were not written by this package, and may not even be serializable. */
  const texts = async (): Promise<Map<string, string>> => {
    const all = new Map<string, string>();
    for (const [entry, found] of Object.entries((await documents.read(name)) ?? {})) {
      const text = textOf(entry, found);
      if (text !== undefined) all.set(entry, text);
    }
    return all;
  };
  const change = (update: (all: Map<string, string>) => void, guard: Guard): Promise<void> =>
    lock.run(async (assertHeld) => {
      const all = await texts();
      update(all);
      if (all.size === 0) return documents.remove(name, both(assertHeld, guard));
      const json = JSON.stringify(Object.fromEntries(all));
      if (json.length > MAX_BUNDLE_CHARACTERS) {
        throw storeError(
          'STORE_VALUE_INVALID',
          'The credentials together are too large for one keychain item.',
          {
            hint: "Use `layout: 'entries'`, or a separate `service` for each part of the program.",
          },
        );
      }
      await documents.write(name, json, both(assertHeld, guard));
    });
  return {
    async get(entry) {
      const found = (await lock.run(() => documents.read(name)))?.[entry];
      const text = found === undefined ? undefined : textOf(entry, found);
      return text === undefined ? undefined : parseValue(text);
    },
    set: (entry, json, guard) => change((all) => all.set(entry, json), guard),
    delete: (entry, guard) => change((all) => all.delete(entry), guard),
  };
}

function both(first: Guard, second: Guard): Guard {
  return async () => {
    await first();
    await second();
  };
}

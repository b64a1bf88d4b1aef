import type { StoredValue } from '@mcp-fittings/client-core/auth';
import { storeError, parseValue } from '@mcp-fittings/store-file/toolkit';
import type { Corruption, Documents, Guard } from './documents.js';
import type { Turns } from './turns.js';

/** How entries are spread over documents. The names of entries are hashes. */
export interface Layout {
  get(entry: string): Promise<StoredValue | undefined>;
  /** `json` is ASCII. */
  set(entry: string, json: string, guard: Guard): Promise<void>;
  delete(entry: string, guard: Guard): Promise<void>;
}

/** One document an entry: a write touches nothing else. */
export function entriesLayout(documents: Documents, turns: Turns): Layout {
  return {
    get: (entry) => turns.take(() => documents.read(entry)),
    set: (entry, json, guard) => turns.take((own) => documents.write(entry, json, both(own, guard))),
    delete: (entry, guard) => turns.take((own) => documents.remove(entry, both(own, guard))),
  };
}

const ENTRY_NAME = /^[\w-]{43}$/;
/** A keychain item of a megabyte is none any more. */
const MAX_BUNDLE_CHARACTERS = 1024 * 1024;

/**
 * All entries in one document of this name, because macOS asks the person for each item when the program that reads it
 * is not the one that wrote it, as after an update of Node. Entries are texts inside the JSON, so all of it is ASCII.
 */
export function bundleLayout(
  documents: Documents,
  turns: Turns,
  name: string,
  onCorrupt: (entry: string, reason: Corruption) => void,
): Layout {
  const textOf = (entry: string, found: unknown): string | undefined => {
    if (typeof found === 'string' && parseValue(found) !== undefined) return found;
    // Only the names of entries are fit to be told.
    onCorrupt(ENTRY_NAME.test(entry) ? entry : name, 'entry-malformed');
    return undefined;
  };
  /** The entries that can be read. What is no text was not written by this package, and may not even be writable. */
  const texts = async (): Promise<Map<string, string>> => {
    const all = new Map<string, string>();
    for (const [entry, found] of Object.entries((await documents.read(name)) ?? {})) {
      const text = textOf(entry, found);
      if (text !== undefined) all.set(entry, text);
    }
    return all;
  };
  const change = (update: (all: Map<string, string>) => void, guard: Guard): Promise<void> =>
    turns.take(async (own) => {
      const all = await texts();
      update(all);
      if (all.size === 0) return documents.remove(name, both(own, guard));
      const json = JSON.stringify(Object.fromEntries(all));
      if (json.length > MAX_BUNDLE_CHARACTERS) {
        throw storeError(
          'STORE_VALUE_INVALID',
          'All credentials together are too large for one keychain item.',
          {
            hint: "Use `layout: 'entries'`, or a `service` for each part of the program.",
          },
        );
      }
      await documents.write(name, json, both(own, guard));
    });
  return {
    async get(entry) {
      const found = (await turns.take(() => documents.read(name)))?.[entry];
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

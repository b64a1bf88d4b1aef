import { corruptEntry, type EntryState } from './sealed-entry.js';

/** What this process saw last of an entry. */
type Seen = Pick<EntryState, 'version' | 'until'> & { readonly present: boolean };

/** Remembers versions, since nothing in Redis itself could tell that all of it is of yesterday. */
export interface EntryMemory {
  /** To be taken before Redis is asked: what it says after that can not be older. */
  last(entry: string): Seen | undefined;
  saw(entry: string, seen: Seen): void;
}

/** Above this, the one that was seen first is forgotten. */
const MAX_ENTRIES = 10_000;

export function createEntryMemory(): EntryMemory {
  const all = new Map<string, Seen>();
  return {
    last: (entry) => all.get(entry),
    saw(entry, seen) {
      if ((all.get(entry)?.version ?? 0) > seen.version) return;
      all.delete(entry);
      all.set(entry, seen);
      const [oldest] = all.keys();
      if (all.size > MAX_ENTRIES && oldest !== undefined) all.delete(oldest);
    },
  };
}

/** Throws STORE_CORRUPT when Redis has gone back in time, or has forgotten, since it was asked last. */
export function assertNotOlder(state: EntryState | undefined, last: Seen | undefined, now: number): void {
  if (last === undefined) return;
  if (state !== undefined && state.version < last.version) throw corruptEntry('rolled-back');
  if (state === undefined && last.present && now < last.until) throw corruptEntry('lost');
}

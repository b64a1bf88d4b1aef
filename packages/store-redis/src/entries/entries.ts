import type { Clock } from '@mcp-fittings/client-core';
import type { StoredValue } from '@mcp-fittings/client-core/auth';
import {
  busyError,
  createKeyedMutex,
  storeError,
  serializeValue,
  type KeySource,
} from '@mcp-fittings/store-file/toolkit';
import type { KeyNames } from '../client/key-names.js';
import { strangeReply } from '../client/redis-failure.js';
import type { ScriptsRunner } from '../client/scripts-runner.js';
import { assertNotOlder, createEntryMemory } from './entry-memory.js';
import { ERASE, READ, WRITE } from './entry-scripts.js';
import { lifeOf, LONGEST_MEMORY_MS } from './life-time.js';
import { corruptEntry, MAX_SEALED_BYTES, sealEntry, unsealEntry } from './sealed-entry.js';

export interface EntriesOptions {
  readonly runner: ScriptsRunner;
  readonly keys: KeySource;
  readonly keepMs: number;
  readonly clock: Clock;
}

/** Sealed values with versions. With a fencing token, a write is refused once somebody else has taken the lock. */
export interface Entries {
  get(names: KeyNames): Promise<StoredValue | undefined>;
  set(names: KeyNames, value: StoredValue, fencingToken: string | undefined): Promise<void>;
  delete(names: KeyNames, fencingToken: string | undefined): Promise<void>;
}

/** No two clocks of a fleet differ so much. */
const LARGEST_SKEW_MS = 24 * 3600 * 1000;
const MAX_TRIES = 50;
const QUEUE_MS = 60_000;

export function createEntries({ runner, keys, keepMs, clock }: EntriesOptions): Entries {
  const memory = createEntryMemory();
  // Writers of one process would only make each other try again.
  const queue = createKeyedMutex(clock);

  /** Versions follow the clock, and each is greater than the one before whatever the clock says. */
  const nextVersion = (before: number): number => Math.max(before + 1, clock.now());

  const write = async (
    names: KeyNames,
    value: { readonly text: string; readonly lifeMs: number | undefined } | undefined,
    fencingToken: string | undefined,
  ): Promise<void> => {
    const lifeMs = value === undefined ? keepMs : value.lifeMs;
    const until = clock.now() + (lifeMs ?? LONGEST_MEMORY_MS);
    let before = memory.last(names.entry)?.version ?? 0;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const version = nextVersion(before);
      const text = await sealEntry(names.entry, { version, until }, value?.text, keys);
      const reply = await runner.run(
        value === undefined ? ERASE : WRITE,
        [names.value, names.fence],
        [fencingToken ?? '', version, text, lifeMs ?? 0, clock.now() + LARGEST_SKEW_MS],
      );
      if (reply === 'ok') return memory.saw(names.entry, { version, until, present: value !== undefined });
      if (reply === 'lost') throw lockLost();
      before = Number(reply);
      if (!Number.isSafeInteger(before)) throw strangeReply();
    }
    throw busyError(0);
  };

  const inTurn = async (names: KeyNames, work: () => Promise<void>): Promise<void> => {
    const leave = await queue.enter(names.entry, QUEUE_MS);
    try {
      await work();
    } finally {
      leave();
    }
  };

  return {
    async get(names) {
      const last = memory.last(names.entry);
      const text = await runner.run(READ, [names.value], [MAX_SEALED_BYTES]);
      if (typeof text === 'number') throw corruptEntry('long');
      const state = text === undefined ? undefined : await unsealEntry(names.entry, text, keys);
      assertNotOlder(state, last, clock.now());
      if (state === undefined) return undefined;
      const { version, until, value } = state;
      memory.saw(names.entry, { version, until, present: value !== undefined });
      return value;
    },
    async set(names, value, token) {
      const text = serializeValue(value);
      const lifeMs = lifeOf(value, clock.now(), keepMs);
      await inTurn(names, () => write(names, { text, lifeMs }, token));
    },
    delete: (names, token) => inTurn(names, () => write(names, undefined, token)),
  };
}

function lockLost(): Error {
  return storeError(
    'STORE_LOCK_LOST',
    'The lock was taken over by another process, so nothing was written.',
    {
      hint: 'Read the value again: the other process may have written a newer one.',
    },
  );
}

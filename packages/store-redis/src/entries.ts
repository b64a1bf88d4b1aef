import type { Clock, StoredValue } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { KeyedMutex, storeError, serializeValue, type KeySource } from '@mcp-fittings/toolbox/stores';
import { unexpectedReply } from './redis-errors.js';
import type { RedisKeys } from './redis-keys.js';
import type { ScriptRunner } from './script-runner.js';
import { corruptEntry, MAX_SEALED_BYTES, sealEntry, unsealEntry, type EntryState } from './sealed-entry.js';

export interface EntriesOptions {
  readonly runner: ScriptRunner;
  readonly keys: KeySource;
  readonly keepMs: number;
  readonly clock: Clock;
}

/** More than the clocks of two machines differ by. */
const MAX_CLOCK_SKEW_MS = 24 * 3600 * 1000;
const MAX_ATTEMPTS = 50;
const QUEUE_MS = 60_000;

/** Encrypted values with versions. With a fencing token, a write is refused after another process has taken the lock. */
export class Entries {
  readonly #options: EntriesOptions;
  readonly #seen = new SeenVersions();
  /** Without it, the writers of one process would only make each other retry. */
  readonly #mutex: KeyedMutex;

  constructor(options: EntriesOptions) {
    this.#options = options;
    this.#mutex = new KeyedMutex(options.clock);
  }

  async get(redisKeys: RedisKeys): Promise<StoredValue | undefined> {
    const { runner, keys, clock } = this.#options;
    const last = this.#seen.last(redisKeys.entry);
    const text = await runner.run(READ, [redisKeys.value], [MAX_SEALED_BYTES]);
    if (typeof text === 'number') throw corruptEntry('long');
    const state = text === undefined ? undefined : await unsealEntry(redisKeys.entry, text, keys);
    assertNotOlder(state, last, clock.now());
    if (state === undefined) return undefined;
    const { version, until, value } = state;
    this.#seen.record(redisKeys.entry, { version, until, present: value !== undefined });
    return value;
  }

  async set(redisKeys: RedisKeys, value: StoredValue, fencingToken: string | undefined): Promise<void> {
    const { clock, keepMs } = this.#options;
    const text = serializeValue(value);
    const lifetimeMs = lifetimeOf(value, clock.now(), keepMs);
    await this.#write(redisKeys, { text, lifetimeMs }, fencingToken);
  }

  delete(redisKeys: RedisKeys, fencingToken: string | undefined): Promise<void> {
    return this.#write(redisKeys, undefined, fencingToken);
  }

  async #write(
    redisKeys: RedisKeys,
    value: { readonly text: string; readonly lifetimeMs: number | undefined } | undefined,
    fencingToken: string | undefined,
  ): Promise<void> {
    const release = await this.#mutex.acquire(redisKeys.entry, QUEUE_MS);
    try {
      await this.#writeNow(redisKeys, value, fencingToken);
    } finally {
      release();
    }
  }

  async #writeNow(
    redisKeys: RedisKeys,
    value: { readonly text: string; readonly lifetimeMs: number | undefined } | undefined,
    fencingToken: string | undefined,
  ): Promise<void> {
    const { runner, keys, keepMs, clock } = this.#options;
    const lifetimeMs = value === undefined ? keepMs : value.lifetimeMs;
    const until = clock.now() + (lifetimeMs ?? LONGEST_MEMORY_MS);
    let before = this.#seen.last(redisKeys.entry)?.version ?? 0;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Versions follow the clock, and always grow even if the clock is set back.
      const version = Math.max(before + 1, clock.now());
      const text = await sealEntry(redisKeys.entry, { version, until }, value?.text, keys);
      const reply = await runner.run(
        value === undefined ? DELETE : WRITE,
        [redisKeys.value, redisKeys.fence],
        [fencingToken ?? '', version, text, lifetimeMs ?? 0, clock.now() + MAX_CLOCK_SKEW_MS],
      );
      if (reply === 'ok') {
        return this.#seen.record(redisKeys.entry, { version, until, present: value !== undefined });
      }
      if (reply === 'lost') throw lockLost();
      before = Number(reply);
      if (!Number.isSafeInteger(before)) throw unexpectedReply();
    }
    throw storeError(
      'STORE_BUSY',
      `Could not write a credential to Redis in ${MAX_ATTEMPTS} attempts: other processes keep writing it.`,
      { hint: 'Try again later.' },
    );
  }
}

function lockLost(): Error {
  return storeError('STORE_LOCK_LOST', 'Nothing was written: another process has taken the lock.', {
    hint: 'Read the value again: the other process may have written a newer one.',
  });
}

/** The last state of an entry that this process has seen. */
type SeenVersion = Pick<EntryState, 'version' | 'until'> & { readonly present: boolean };

/** Above this number, the entry that was seen least recently is forgotten. */
const MAX_ENTRIES = 10_000;

/** Remembers versions: Redis itself cannot tell that it was restored from an old copy. */
class SeenVersions {
  readonly #all = new RecentMap<string, SeenVersion>(MAX_ENTRIES);

  /** Call it before Redis is asked: what Redis returns then must not be older. */
  last(entry: string): SeenVersion | undefined {
    return this.#all.get(entry);
  }

  record(entry: string, seen: SeenVersion): void {
    if ((this.#all.get(entry)?.version ?? 0) > seen.version) return;
    this.#all.set(entry, seen);
  }
}

/** Throws `STORE_CORRUPT` when Redis returns an older state than before, or has lost one. */
function assertNotOlder(state: EntryState | undefined, last: SeenVersion | undefined, now: number): void {
  if (last === undefined) return;
  if (state !== undefined && state.version < last.version) throw corruptEntry('rolled-back');
  if (state === undefined && last.present && now < last.until) throw corruptEntry('lost');
}

const DAY_MS = 24 * 3600 * 1000;
/** Time that a value stays after it has expired, in milliseconds: clocks differ, and it may still say what to request next. */
const GRACE_MS = DAY_MS;

/**
 * Returns the time that Redis keeps a value after a write, in milliseconds; undefined: forever. An access token expires (`expiresAt`). A
 * refresh token outlives it by an unknown time, so it is kept while it is used: each refresh writes it again. Everything
 * else, such as a registration or a key, is needed for refreshes, and stays.
 */
function lifetimeOf(value: StoredValue, now: number, keepMs: number): number | undefined {
  if (value['refreshToken'] !== undefined) return keepMs;
  const expiresAt = value['expiresAt'];
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt)) return undefined;
  return Math.round(Math.min(Math.max(expiresAt - now, 0) + GRACE_MS, keepMs));
}

/** Time that a process remembers a value that Redis keeps forever. */
const LONGEST_MEMORY_MS = 365 * DAY_MS;

/** KEYS: value. ARGV: maximum bytes. Returns the text, its length when it is too long to fetch, or nothing. */
export const READ = `
local length = redis.call('STRLEN', KEYS[1])
if length > tonumber(ARGV[1]) then return length end
return redis.call('GET', KEYS[1])`;

/**
 * Begins both scripts that write. A value is `<version> <encrypted text>`; the version is bound to the text, so that no one
 * can make one up. KEYS: value, fence. ARGV: token or '', version, text, lifetime in ms, highest version.
 */
const GUARD = `
if ARGV[1] ~= '' and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 'lost' end
local head = redis.pcall('GETRANGE', KEYS[1], 0, 15)
local digits = type(head) == 'string' and string.match(head, '^(%d+) ') or '0'
local current = tonumber(digits)
if current >= tonumber(ARGV[2]) and current <= tonumber(ARGV[5]) then return digits end`;

/**
 * Returns `ok`, `lost` when another process has taken the lock, or the version in Redis when it is not older. A version
 * that no clock can have produced was not written by this store and does not count.
 */
const WRITE = `${GUARD}
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3])
else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
return 'ok'`;

/** The same for the tombstone of a deleted value, which stays as long as the value would have. */
const DELETE = `${GUARD}
local left = redis.call('PTTL', KEYS[1])
if left == -2 then return 'ok' end
redis.call('SET', KEYS[1], ARGV[3], 'PX', left > 0 and left or ARGV[4])
return 'ok'`;

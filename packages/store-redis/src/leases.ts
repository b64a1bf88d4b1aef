import { randomUUID } from 'node:crypto';
import type { Clock } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/toolbox/timing';
import {
  busyError,
  KeyedMutex,
  DEFAULT_STALE_MS,
  DEFAULT_WAIT_MS,
  storeError,
  type LockOptions,
} from '@mcp-fittings/toolbox/stores';
import { unexpectedReply } from './redis-errors.js';
import type { RedisKeys } from './redis-keys.js';
import type { ScriptRunner } from './script-runner.js';

export interface LeasesOptions {
  readonly runner: ScriptRunner;
  readonly lock: LockOptions | undefined;
  readonly clock: Clock;
}

const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 100;
/** Time that Redis remembers the last holder; a holder that is silent for longer has lost the lock anyway. */
const FENCE_MS = 24 * 3600 * 1000;

/** Locks across machines. */
export class Leases {
  readonly #runner: ScriptRunner;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #waitMs: number;
  readonly #mutex: KeyedMutex;
  readonly #held = new Map<string, HeldLease>();

  constructor({ runner, lock = {}, clock }: LeasesOptions) {
    const { staleMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS } = lock;
    this.#runner = runner;
    this.#clock = clock;
    this.#leaseMs = staleMs;
    this.#waitMs = waitMs;
    this.#mutex = new KeyedMutex(clock);
  }

  /** Runs `work` while no one else holds this lock. Rejects with `STORE_BUSY`, `STORE_UNAVAILABLE`, or the error of `work`. */
  async run<T>(redisKeys: RedisKeys, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = this.#clock.now() + this.#waitMs;
    const release = await this.#mutex.acquire(redisKeys.entry, this.#waitMs);
    try {
      const lease = await this.#take(redisKeys, deadline);
      this.#held.set(redisKeys.entry, lease);
      try {
        return await work(lease.signal);
      } finally {
        this.#held.delete(redisKeys.entry);
        await lease.release();
      }
    } finally {
      release();
    }
  }

  /** The fencing token for writes while {@link run} is at work under this name; undefined outside, where writes are free. */
  tokenOf({ entry }: RedisKeys): string | undefined {
    return this.#held.get(entry)?.token;
  }

  async #take(redisKeys: RedisKeys, deadline: number): Promise<HeldLease> {
    const runner = this.#runner;
    const clock = this.#clock;
    const leaseMs = this.#leaseMs;
    const token = randomUUID();
    const keys = [redisKeys.lease, redisKeys.fence];
    try {
      for (let attempt = 0; ; attempt++) {
        const since = clock.now();
        const answer = await runner.run(TAKE, keys, [token, leaseMs, FENCE_MS]);
        if (answer === 'taken') return new HeldLease({ runner, redisKeys, token, leaseMs, since, clock });
        if (typeof answer !== 'number') throw unexpectedReply();
        if (clock.now() >= deadline) throw busyError(this.#waitMs);
        await sleep(pollMs(attempt, answer), { clock });
      }
    } catch (error) {
      // A request that timed out may still arrive, and no one would release the lease that it takes.
      void runner.tryOnce(RELEASE, keys, [token]);
      throw error;
    }
  }
}

function pollMs(attempt: number, leftMs: number): number {
  const pause = { initialMs: FIRST_POLL_MS, maxMs: LAST_POLL_MS, factor: 1.5, jitter: 0.5 };
  return Math.min(backoffDelay(attempt, pause), Math.max(0, leftMs) + 1);
}

interface HeldLeaseOptions {
  readonly runner: ScriptRunner;
  readonly redisKeys: RedisKeys;
  readonly token: string;
  readonly leaseMs: number;
  /** Time when the request for the lease was sent; Redis starts to count later. */
  readonly since: number;
  readonly clock: Clock;
}

/** Renewals within the lifetime of a lease; two may fail. */
const BEATS_PER_LEASE = 3;

/** Renews a lease that was just taken until it is released or lost. */
class HeldLease {
  /** The fencing token: a write is accepted only until another process takes the lock. */
  readonly token: string;
  readonly #runner: ScriptRunner;
  readonly #keys: readonly string[];
  readonly #leaseMs: number;
  readonly #clock: Clock;
  readonly #lost = new AbortController();
  #released = false;
  #beat: Disposable | undefined;
  #end: Disposable | undefined;

  constructor({ runner, redisKeys, token, leaseMs, since, clock }: HeldLeaseOptions) {
    this.token = token;
    this.#runner = runner;
    this.#keys = [redisKeys.lease, redisKeys.fence];
    this.#leaseMs = leaseMs;
    this.#clock = clock;
    this.#renewed(since);
    this.#plan();
  }

  /** Aborted when the lease was lost, or has expired as far as this process knows. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#stop();
    // If Redis is unavailable, the lease expires; work that has succeeded must not fail because of that.
    await this.#runner.tryOnce(RELEASE, this.#keys, [this.token]);
  }

  #plan(): void {
    const interval = this.#leaseMs / BEATS_PER_LEASE;
    this.#beat = this.#clock.schedule(() => void this.#renew(), interval, { unref: true });
  }

  async #renew(): Promise<void> {
    const at = this.#clock.now();
    try {
      if ((await this.#runner.run(RENEW, this.#keys, [this.token, this.#leaseMs])) !== 1) {
        return this.#lose('Another process has taken the lock.');
      }
      if (this.#isHeld) this.#renewed(at);
    } catch {
      // Redis is unavailable: there is time to retry until the lease expires.
    }
    if (this.#isHeld) this.#plan();
  }

  get #isHeld(): boolean {
    return !this.#released && !this.#lost.signal.aborted;
  }

  #renewed(at: number): void {
    this.#end?.[Symbol.dispose]();
    const left = Math.max(0, at + this.#leaseMs - this.#clock.now());
    const lose = (): void => this.#lose('The lock was not renewed in time.');
    this.#end = this.#clock.schedule(lose, left, { unref: true });
  }

  #lose(why: string): void {
    this.#stop();
    if (this.#isHeld) this.#lost.abort(storeError('STORE_LOCK_LOST', why));
  }

  #stop(): void {
    this.#beat?.[Symbol.dispose]();
    this.#end?.[Symbol.dispose]();
  }
}

/**
 * KEYS: lease, fence. ARGV: token, lease ms, fence ms. Returns `taken`, or how many milliseconds the current holder has left.
 * A caller that asks again because the reply was lost gets the same reply.
 */
const TAKE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] and not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return tonumber(ARGV[2]) end
  return left
end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
return 'taken'`;

/** KEYS: lease, fence. ARGV: token, lease ms. Returns 1 when the lease is renewed, even if it had expired untaken; 0 when lost. */
const RENEW = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/**
 * KEYS: lease, fence. ARGV: token. Does not release the lease of another holder. Without the fence, a renewal that is tried again does not take
 * the lease again.
 */
const RELEASE = `
for _, name in ipairs(KEYS) do
  if redis.call('GET', name) == ARGV[1] then redis.call('DEL', name) end
end
return 1`;

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

/** Locks across machines. */
export interface Leases {
  /** Runs `work` while no one else holds this lock. Rejects with `STORE_BUSY`, `STORE_UNAVAILABLE`, or the error of `work`. */
  run<T>(redisKeys: RedisKeys, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The fencing token for writes while {@link run} is at work under this name; undefined outside, where writes are free. */
  tokenOf(redisKeys: RedisKeys): string | undefined;
}

const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 100;
/** How long Redis remembers the last holder; a holder that is silent for longer has lost the lock anyway. */
const FENCE_MS = 24 * 3600 * 1000;

export function createLeases({ runner, lock = {}, clock }: LeasesOptions): Leases {
  const { staleMs: leaseMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS } = lock;
  const mutex = new KeyedMutex(clock);
  const held = new Map<string, HeldLease>();

  const take = async (redisKeys: RedisKeys, deadline: number): Promise<HeldLease> => {
    const token = randomUUID();
    const keys = [redisKeys.lease, redisKeys.fence];
    try {
      for (let attempt = 0; ; attempt++) {
        const since = clock.now();
        const answer = await runner.run(TAKE, keys, [token, leaseMs, FENCE_MS]);
        if (answer === 'taken') return holdLease({ runner, redisKeys, token, leaseMs, since, clock });
        if (typeof answer !== 'number') throw unexpectedReply();
        if (clock.now() >= deadline) throw busyError(waitMs);
        await sleep(pollMs(attempt, answer), { clock });
      }
    } catch (error) {
      // A request that timed out may still arrive, and no one would release the lease that it takes.
      void runner.tryOnce(RELEASE, keys, [token]);
      throw error;
    }
  };

  return {
    async run(redisKeys, work) {
      const deadline = clock.now() + waitMs;
      const release = await mutex.acquire(redisKeys.entry, waitMs);
      try {
        const lease = await take(redisKeys, deadline);
        held.set(redisKeys.entry, lease);
        try {
          return await work(lease.signal);
        } finally {
          held.delete(redisKeys.entry);
          await lease.release();
        }
      } finally {
        release();
      }
    },
    tokenOf: ({ entry }) => held.get(entry)?.token,
  };
}

function pollMs(attempt: number, leftMs: number): number {
  const pause = { initialMs: FIRST_POLL_MS, maxMs: LAST_POLL_MS, factor: 1.5, jitter: 0.5 };
  return Math.min(backoffDelay(Math.min(attempt, 20), pause), Math.max(0, leftMs) + 1);
}

interface HeldLease {
  /** The fencing token: a write is accepted only until another process takes the lock. */
  readonly token: string;
  /** Aborted when the lease was lost, or has expired as far as this process knows. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

interface HoldLeaseOptions {
  readonly runner: ScriptRunner;
  readonly redisKeys: RedisKeys;
  readonly token: string;
  readonly leaseMs: number;
  /** When the request for the lease was sent; Redis starts to count later. */
  readonly since: number;
  readonly clock: Clock;
}

/** Renewals within the lifetime of a lease; two may fail. */
const BEATS_PER_LEASE = 3;

/** Renews a lease that was just taken until it is released or lost. */
function holdLease({ runner, redisKeys, token, leaseMs, since, clock }: HoldLeaseOptions): HeldLease {
  const keys = [redisKeys.lease, redisKeys.fence];
  const lost = new AbortController();
  let released = false;
  let beat: Disposable | undefined;
  let end: Disposable | undefined;

  const lose = (why: string): void => {
    beat?.[Symbol.dispose]();
    end?.[Symbol.dispose]();
    if (!released && !lost.signal.aborted) lost.abort(storeError('STORE_LOCK_LOST', why));
  };
  const renewed = (at: number): void => {
    end?.[Symbol.dispose]();
    const left = Math.max(0, at + leaseMs - clock.now());
    end = clock.schedule(() => lose('The lock was not renewed in time.'), left, { unref: true });
  };
  const renew = async (): Promise<void> => {
    const at = clock.now();
    try {
      if ((await runner.run(RENEW, keys, [token, leaseMs])) !== 1) {
        return lose('Another process has taken the lock.');
      }
      if (!released && !lost.signal.aborted) renewed(at);
    } catch {
      // Redis is unavailable: there is time to retry until the lease expires.
    }
    if (!released && !lost.signal.aborted) plan();
  };
  const plan = (): void => {
    beat = clock.schedule(() => void renew(), leaseMs / BEATS_PER_LEASE, { unref: true });
  };
  renewed(since);
  plan();

  return {
    token,
    signal: lost.signal,
    async release() {
      released = true;
      beat?.[Symbol.dispose]();
      end?.[Symbol.dispose]();
      // If Redis is unavailable, the lease expires; work that has succeeded must not fail because of that.
      await runner.tryOnce(RELEASE, keys, [token]);
    },
  };
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

/** KEYS: lease, fence. ARGV: token. Does not release the lease of another holder. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

import { randomUUID } from 'node:crypto';
import { backoffDelay, type Clock } from '@mcp-fittings/client-core/auth';
import { sleep } from '@mcp-fittings/client-core/timing';
import {
  busyError,
  createKeyedQueue,
  DEFAULT_STALE_MS,
  DEFAULT_WAIT_MS,
  type LockTimes,
} from '@mcp-fittings/store-file/toolkit';
import type { KeyNames } from '../client/key-names.js';
import { strangeReply } from '../client/redis-failure.js';
import type { ScriptsRunner } from '../client/scripts-runner.js';
import { holdLease, type HeldLease } from './held-lease.js';
import { RELEASE, TAKE } from './lease-scripts.js';

export interface LeasesOptions {
  readonly runner: ScriptsRunner;
  readonly times: LockTimes | undefined;
  readonly clock: Clock;
}

/** Locks across machines. */
export interface Leases {
  /** Runs `work` while nobody else holds this lock. Rejects with STORE_BUSY, STORE_UNAVAILABLE, or as `work` does. */
  run<T>(names: KeyNames, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The fencing token for writes while {@link run} is at work under this name; without one, they are free. */
  tokenOf(names: KeyNames): string | undefined;
}

const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 100;
/** Remembers who took the lock last; whoever is silent for longer has lost it in any case. */
const FENCE_MS = 24 * 3600 * 1000;

export function createLeases({ runner, times = {}, clock }: LeasesOptions): Leases {
  const { staleMs: leaseMs = DEFAULT_STALE_MS, waitMs = DEFAULT_WAIT_MS } = times;
  const queue = createKeyedQueue(clock);
  const held = new Map<string, HeldLease>();

  const take = async (names: KeyNames, deadline: number): Promise<HeldLease> => {
    const token = randomUUID();
    const keys = [names.lease, names.fence];
    try {
      for (let attempt = 0; ; attempt++) {
        const since = clock.now();
        const answer = await runner.run(TAKE, keys, [token, leaseMs, FENCE_MS]);
        if (answer === 'taken') return holdLease({ runner, names, token, leaseMs, since, clock });
        if (typeof answer !== 'number') throw strangeReply();
        if (clock.now() >= deadline) throw busyError(waitMs);
        await sleep(pollMs(attempt, answer), { clock });
      }
    } catch (error) {
      // A request that was given up may still be on its way, and nobody would release what it takes.
      void runner.tryOnce(RELEASE, keys, [token]);
      throw error;
    }
  };

  return {
    async run(names, work) {
      const deadline = clock.now() + waitMs;
      const leave = await queue.enter(names.entry, waitMs);
      try {
        const lease = await take(names, deadline);
        held.set(names.entry, lease);
        try {
          return await work(lease.signal);
        } finally {
          held.delete(names.entry);
          await lease.release();
        }
      } finally {
        leave();
      }
    },
    tokenOf: ({ entry }) => held.get(entry)?.token,
  };
}

function pollMs(attempt: number, leftMs: number): number {
  const pause = { initialMs: FIRST_POLL_MS, maxMs: LAST_POLL_MS, factor: 1.5, jitter: 0.5 };
  return Math.min(backoffDelay(Math.min(attempt, 20), pause), Math.max(0, leftMs) + 1);
}

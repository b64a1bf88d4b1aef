import type { Clock } from '@mcp-fittings/client-core';
import { storeError } from '@mcp-fittings/store-file/toolkit';
import type { KeyNames } from '../client/key-names.js';
import type { ScriptsRunner } from '../client/scripts-runner.js';
import { RELEASE, RENEW } from './lease-scripts.js';

export interface HeldLease {
  /** The fencing token: a write counts only while nobody has taken the lock after this one. */
  readonly token: string;
  /** Aborted when the lease was lost, or has run out as far as this process knows. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

export interface HeldLeaseParts {
  readonly runner: ScriptsRunner;
  readonly names: KeyNames;
  readonly token: string;
  readonly leaseMs: number;
  /** When the request for the lease was sent; Redis counts from later on. */
  readonly since: number;
  readonly clock: Clock;
}

/** Renewals in each life of a lease; two may fail. */
const BEATS_PER_LEASE = 3;

/** Renews a lease that was just taken until it is released or lost. */
export function holdLease({ runner, names, token, leaseMs, since, clock }: HeldLeaseParts): HeldLease {
  const keys = [names.lease, names.fence];
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
        return lose('The lock was taken over by another process.');
      }
      if (!released && !lost.signal.aborted) renewed(at);
    } catch {
      // Redis is away: until the lease has run out there is time to try again.
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
      // Where Redis is away the lease runs out; that is no reason to fail work that has succeeded.
      await runner.tryOnce(RELEASE, keys, [token]);
    },
  };
}

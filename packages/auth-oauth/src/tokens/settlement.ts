import { backoffDelay, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import { isCorrupt } from './corrupt-store.js';
import { fromStored, toStored, type TokenRecord } from './token-record.js';

/** How patiently a store that is away is asked to take the outcome of a renewal. */
const PATIENCE = { initialMs: 500, maxMs: 5_000 };

export interface Unsettled {
  readonly store: TokenStore;
  readonly key: string;
  readonly clock: Clock;
  /** What was written before the refresh token was sent. */
  readonly mark: string;
  readonly outcome: TokenRecord;
  readonly saved: () => void;
}

/**
 * Puts the outcome of a renewal where its mark is, as soon as the store can be written to. Where the mark is gone nothing
 * is written: somebody has signed in or out, or has waited long enough.
 */
export function settle(unsettled: Unsettled, attempt = 0): void {
  const { store, key, clock, mark, outcome, saved } = unsettled;
  const write = async (): Promise<void> => {
    const isOurs = await store.get(key).then(
      (there) => fromStored(there)?.renewing === mark,
      (error: unknown) => {
        if (isCorrupt(error)) return true;
        throw error;
      },
    );
    if (!isOurs) return;
    await store.set(key, toStored(outcome));
    saved();
  };
  const tryNow = async (): Promise<void> => {
    try {
      await store.withLock(key, write);
    } catch {
      settle(unsettled, attempt + 1);
    }
  };
  clock.schedule(() => void tryNow(), backoffDelay(attempt, PATIENCE), { unref: true });
}

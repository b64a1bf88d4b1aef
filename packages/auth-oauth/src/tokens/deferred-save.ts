import { backoffDelay, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import { isCorrupt } from './corrupt-store.js';
import { fromStored, toStored, type TokenRecord } from './token-record.js';

/** How often a store that is unavailable is tried. */
const BACKOFF = { initialMs: 500, maxMs: 5_000 };

/** A renewal whose outcome could not be stored yet. */
export interface DeferredSave {
  readonly store: TokenStore;
  readonly key: string;
  readonly clock: Clock;
  /** The mark that was stored before the refresh token was sent. */
  readonly mark: string;
  readonly outcome: TokenRecord;
  readonly saved: () => void;
}

/**
 * Stores the outcome of a renewal as soon as the store can be written to. If its mark is gone, nothing is written: another
 * process has signed in or out, or has begun another renewal.
 */
export function saveDeferred(deferred: DeferredSave, attempt = 0): void {
  const { store, key, clock, mark, outcome, saved } = deferred;
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
      saveDeferred(deferred, attempt + 1);
    }
  };
  clock.schedule(() => void tryNow(), backoffDelay(attempt, BACKOFF), { unref: true });
}

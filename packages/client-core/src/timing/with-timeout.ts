import type { Clock } from '../contracts/clock.js';
import { abortable } from './abortable.js';
import { linkSignal } from './link-signal.js';
import { systemClock } from './system-clock.js';

export interface TimeoutOptions {
  /** Milliseconds; 0 never. */
  readonly ms: number;
  /** Makes the error for the time-out. */
  readonly error: () => Error;
  /** Aborting it ends the wait as well; the result then rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Settles as `work` does, or rejects as soon as its time is over or `signal` is aborted. The signal that `work` gets is
 * aborted then, with the same reason; what ignores it goes on unheard.
 */
export async function withTimeout<T>(
  { ms, error, signal, clock = systemClock }: TimeoutOptions,
  work: (signal: AbortSignal) => T | PromiseLike<T>,
): Promise<T> {
  const link = linkSignal(signal);
  if (link.signal.aborted) throw link.signal.reason;
  const timer = ms > 0 ? clock.schedule(() => link.abort(error()), ms) : undefined;
  try {
    return await abortable(work(link.signal), link.signal);
  } finally {
    timer?.[Symbol.dispose]();
    link[Symbol.dispose]();
  }
}

import type { Clock } from '../contracts/clock.js';
import { systemClock } from './system-clock.js';

export interface SleepOptions {
  /** Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
  /** Aborting it ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** The timer does not keep the process alive. Default false. */
  readonly unref?: boolean | undefined;
}

/** Resolves after `ms` milliseconds; rejects with the reason of `signal` as soon as that is aborted. */
export function sleep(ms: number, options: SleepOptions = {}): Promise<void> {
  const { clock = systemClock, signal, unref = false } = options;
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
    if (signal?.aborted === true) return reject(signal.reason);
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
      reject(signal?.reason);
    };
    const timer = clock.schedule(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      ms,
      { unref },
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

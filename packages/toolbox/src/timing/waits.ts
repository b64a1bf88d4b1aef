/**
 * Clocks, waits and time-outs, with a clock that tests can replace.
 *
 * @packageDocumentation
 */
import type { Clock } from '@mcp-fittings/client-core';

export type { Clock };

/** The system clock: `Date.now()` and `setTimeout()`. The default of every `clock` option. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(task, ms, { unref = false } = {}) {
    const timer = setTimeout(task, Math.min(ms, MAX_TIMER_MS));
    // A browser's timer is a number, which keeps nothing alive.
    if (unref && typeof timer === 'object') timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Node.js fires a longer timer immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Options of {@link sleep}. */
export interface SleepOptions {
  /** Clock to wait on. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Ends the wait when it is aborted. Default none. */
  readonly signal?: AbortSignal | undefined;
  /** The timer does not keep the process alive. Default false. */
  readonly unref?: boolean | undefined;
}

/** Resolves after `ms` milliseconds. Rejects with the reason of `signal` as soon as that is aborted. */
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

/**
 * Settles as `work` does, or rejects as soon as `signal` is aborted: with the error that `error` returns, by default the reason
 * of the signal. The work itself continues; a later rejection of it is not reported as unhandled.
 */
export async function abortable<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  error: () => unknown = () => signal?.reason,
): Promise<T> {
  if (signal === undefined) return work;
  const settled = Promise.resolve(work);
  let onAbort = (): void => undefined;
  const gaveUp = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
    onAbort = () => reject(error());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([gaveUp, settled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves as soon as `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A signal that follows a parent until it is disposed of, see {@link linkSignal}. */
export interface LinkedSignal extends Disposable {
  /** The signal. */
  readonly signal: AbortSignal;
  /** Aborts {@link signal}, not the parent. */
  abort(reason?: unknown): void;
  /** Removes the listener from the parent. {@link signal} is not aborted. */
  [Symbol.dispose](): void;
}

/**
 * Creates a signal that is aborted with the reason of `parent`, or earlier by `abort()`. Unlike with `AbortSignal.any()`, no
 * listener stays on a long-lived parent once the result is disposed of.
 *
 * @example
 * ```ts
 * using link = linkSignal(options.signal);
 * await fetch(url, { signal: link.signal });
 * ```
 */
export function linkSignal(parent?: AbortSignal): LinkedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent?.reason);
  if (parent?.aborted === true) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    [Symbol.dispose]: () => parent?.removeEventListener('abort', follow),
  };
}

/** Resolves with whether `work` settles, either way, within `ms` milliseconds. Never rejects; the work itself continues. */
export function settlesWithin(
  ms: number,
  work: PromiseLike<unknown>,
  clock: Clock = systemClock,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.schedule(() => resolve(false), ms);
    const settled = (): void => {
      timer[Symbol.dispose]();
      resolve(true);
    };
    work.then(settled, settled);
  });
}

/** Options of {@link withTimeout}. */
export interface TimeoutOptions {
  /** Time limit in milliseconds; 0 means none. */
  readonly ms: number;
  /** Creates the error of the time-out. */
  readonly error: () => Error;
  /** Ends the wait too when it is aborted; the result then rejects with its reason. Default none. */
  readonly signal?: AbortSignal | undefined;
  /** Clock of the time limit. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Settles as `work` does, or rejects as soon as the time limit is reached or `signal` is aborted. The signal that is passed to
 * `work` is then aborted with the same reason. Work that ignores it continues, and its outcome is ignored.
 *
 * @example
 * ```ts
 * const error = () => new TransportError('TIMEOUT', 'The server did not answer within 5000 ms.');
 * const response = await withTimeout({ ms: 5000, error }, (signal) => fetch(url, { signal }));
 * ```
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

/** Options of {@link backoffDelay}. */
export interface BackoffOptions {
  /** Delay before the first retry, in milliseconds. Default 1000. */
  readonly initialMs?: number | undefined;
  /** Longest delay, in milliseconds. Default 30 000. */
  readonly maxMs?: number | undefined;
  /** Ratio of each delay to the previous one. Default 2. */
  readonly factor?: number | undefined;
  /** Share of each delay that is random, from 0 to 1, so that clients do not retry in step. Default 0.2. */
  readonly jitter?: number | undefined;
  /** Returns a random number in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Returns the milliseconds to wait before retry number `attempt`, counted from 0: exponential, capped at `maxMs`, and with
 * jitter that only shortens the delay.
 */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { initialMs = 1000, maxMs = 30_000, factor = 2, jitter = 0.2, random = Math.random } = options;
  // After this many steps every delay is at its cap, and 0 times Infinity would be NaN.
  const step = Math.min(64, Math.max(0, attempt));
  const full = Math.min(maxMs, initialMs * factor ** step);
  return Math.round(full * (1 - Math.min(1, Math.max(0, jitter)) * random()));
}

/**
 * Returns whether the time `at` is less than `ms` milliseconds before `now`. A time in the future does not count: it was stored
 * before the clock was set back.
 */
export function isRecent(at: number, ms: number, now: number): boolean {
  return now >= at && now - at < ms;
}

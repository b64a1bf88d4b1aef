/** Waiting: a clock that tests can replace, and what ends a wait early. */
import type { Clock } from './contracts/clock.js';

export type { Clock };

/** The clock of the machine; holds nothing. */
export const systemClock: Clock = {
  now: () => Date.now(),
  schedule(task, ms, { unref = false } = {}) {
    const timer = setTimeout(task, Math.min(ms, MAX_TIMER_MS));
    // A browser's timer is a number, which keeps nothing alive.
    if (unref && typeof timer === 'object') timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Node runs a longer timer at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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

/**
 * Settles as `work` does, or rejects as soon as `signal` is aborted: with its reason, or with what `error` makes where that is
 * given. The work itself goes on; its later rejection is not reported as unhandled.
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

/** A signal that follows a parent for as long as it is needed. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Takes its listener off the parent; `signal` is not aborted by that. */
  [Symbol.dispose](): void;
}

/**
 * Makes a signal that is aborted with the reason of `parent`, or earlier by `abort`. Unlike `AbortSignal.any` it leaves
 * no listener on a parent that lives longer, once it is disposed of.
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

/** Whether `work` settles, either way, within `ms` milliseconds. Never rejects; the work itself goes on. */
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

export interface BackoffOptions {
  /** Delay before the first retry, milliseconds. Default 1000. */
  readonly initialMs?: number | undefined;
  /** No delay is longer, milliseconds. Default 30 000. */
  readonly maxMs?: number | undefined;
  /** Each delay is this many times the one before. Default 2. */
  readonly factor?: number | undefined;
  /** Share of each delay that is drawn at random, 0 to 1, so that clients do not return in step. Default 0.2. */
  readonly jitter?: number | undefined;
  /** Source of chance in [0, 1). Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/**
 * Milliseconds to wait before retry number `attempt` (0 is the first): exponential, capped, and with jitter that
 * only ever shortens it, so that `maxMs` holds.
 */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { initialMs = 1000, maxMs = 30_000, factor = 2, jitter = 0.2, random = Math.random } = options;
  // Beyond this many steps every delay is at its cap, and nought times infinity would be no number.
  const step = Math.min(64, Math.max(0, attempt));
  const full = Math.min(maxMs, initialMs * factor ** step);
  return Math.round(full * (1 - Math.min(1, Math.max(0, jitter)) * random()));
}

/**
 * Whether `at` is less than `ms` ago, milliseconds. A time in the future is not: what was remembered before a clock was set
 * back must not count until the clock catches up.
 */
export function isRecent(at: number, ms: number, now: number): boolean {
  return now >= at && now - at < ms;
}

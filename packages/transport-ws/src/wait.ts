import type { Clock } from '@mcp-fittings/client-core';

/** What `work` gives, or the reason of `signal` as soon as it is aborted. */
export async function abortable<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

export interface Deadline {
  /** 0 means never. */
  readonly ms: number;
  readonly clock: Clock;
  /** Made when it has passed. */
  readonly error: () => Error;
  readonly signal: AbortSignal;
}

/** Runs `work` with a signal that is aborted when the deadline passes or the outer signal says so. */
export async function withDeadline<T>(
  { ms, clock, error, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const onAbort = (): void => inner.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = ms > 0 ? clock.schedule(() => inner.abort(error()), ms) : undefined;
  try {
    return await work(inner.signal);
  } finally {
    timer?.[Symbol.dispose]();
    signal.removeEventListener('abort', onAbort);
  }
}

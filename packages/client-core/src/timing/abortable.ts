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
  const aborted = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's own
    onAbort = () => reject(error());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([aborted, settled]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs work with a signal of its own that follows the given one until the work has settled. The SDKs never take their
 * listener off a signal: on one that lives longer, each finished request would leave a listener behind, and a later abort
 * would cancel requests that were answered long ago.
 */
export async function withOwnSignal<T>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (given === undefined) return work(undefined);
  const own = new AbortController();
  const follow = (): void => own.abort(given.reason);
  if (given.aborted) follow();
  given.addEventListener('abort', follow, { once: true });
  try {
    return await work(own.signal);
  } finally {
    given.removeEventListener('abort', follow);
  }
}

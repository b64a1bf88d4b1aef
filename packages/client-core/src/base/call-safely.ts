/** Runs a function of the host, which may throw or, being async, reject: neither reaches the caller. */
export function callSafely(work: () => unknown, failed: (cause: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch(failed);
  } catch (cause) {
    failed(cause);
  }
}

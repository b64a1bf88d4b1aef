/** Lets at most so many pieces of work run at the same time; the others wait in order. */
export interface Semaphore {
  /** Resolves with the function that gives the place back. Rejects with the signal's reason when aborted before. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting = new Set<() => void>();

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free++;
    else next();
  };

  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        const once = (): (() => void) => {
          let given = false;
          return () => {
            if (!given) release();
            given = true;
          };
        };
        if (signal.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve(once());
        }
        const onAbort = (): void => {
          waiting.delete(go);
          reject(signal.reason);
        };
        const go = (): void => {
          waiting.delete(go);
          signal.removeEventListener('abort', onAbort);
          resolve(once());
        };
        waiting.add(go);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

import type { Clock } from '@mcp-fittings/client-core';

/** Bounds how many operations run at the same time. The others wait in order. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(slots: number) {
    this.#free = slots;
  }

  /** Resolves with the function that releases the slot; it may be called twice. Rejects with the reason of the signal. */
  acquire(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (this.#free > 0) {
        this.#free--;
        return resolve(this.#slot());
      }
      const onAbort = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      const go = (): void => {
        this.#waiting.delete(go);
        signal.removeEventListener('abort', onAbort);
        resolve(this.#slot());
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #slot(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else next();
    };
  }
}

/** Bounds how many events pass in each second. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #perSecond: number;
  #windowStart = 0;
  #passed = 0;

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  allow(): boolean {
    const now = this.#clock.now();
    if (now - this.#windowStart >= 1000) {
      this.#windowStart = now;
      this.#passed = 0;
    }
    if (this.#passed < this.#perSecond) {
      this.#passed++;
      return true;
    }
    return false;
  }
}

/** The bytes that the lists of all servers of a host share, including those that are still being read. */
export class ListBudget {
  readonly #maxBytes: number;
  #taken = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes this many bytes. Returns `false`, and takes nothing, if fewer are left. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#maxBytes) return false;
    this.#taken += bytes;
    return true;
  }

  /** Returns bytes that were taken. */
  giveBack(bytes: number): void {
    this.#taken = Math.max(0, this.#taken - bytes);
  }
}

import { linkSignal, sleep, type Clock } from '@mcp-fittings/client-core/transport';

/**
 * Something that ends once, and what has to be undone then. It stands where an `AbortSignal` would, because every request has
 * one: an `AbortController` that follows another one costs ten times as much.
 */
export interface Lifetime extends Ending {
  end(): void;
}

/** What ends once, by itself: a transport. */
export interface Ending {
  readonly ended: boolean;
  /** Runs `task` at the end, at once if that is past. The result takes the task back. */
  onEnd(task: () => void): () => void;
}

/** Ends with its parent, or earlier by itself. */
export function createLifetime(parent?: Ending): Lifetime {
  return new LifetimeWithin(parent);
}

class LifetimeWithin implements Lifetime {
  #ended = false;
  readonly #tasks = new Set<() => void>();
  readonly #leave: (() => void) | undefined;

  constructor(parent: Ending | undefined) {
    this.#leave = parent?.onEnd(() => this.end());
  }

  get ended(): boolean {
    return this.#ended;
  }

  onEnd(task: () => void): () => void {
    if (this.#ended) {
      task();
      return () => undefined;
    }
    this.#tasks.add(task);
    return () => void this.#tasks.delete(task);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave?.();
    const all = [...this.#tasks];
    this.#tasks.clear();
    for (const task of all) task();
  }
}

/** Settles as `work` does, or with nothing when `lifetime` ends first. */
export function during<T>(lifetime: Ending, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stay = lifetime.onEnd(() => resolve(undefined));
    work.finally(stay).then(resolve, reject);
  });
}

/** Settles after `ms`, or when `lifetime` ends; it leaves no timer behind. */
export async function sleepDuring(lifetime: Ending, ms: number, clock: Clock): Promise<void> {
  const link = linkSignal();
  const stay = lifetime.onEnd(() => link.abort());
  try {
    await sleep(ms, { clock, signal: link.signal });
  } catch {
    // The lifetime has ended: there is nothing to wait for.
  } finally {
    stay();
  }
}

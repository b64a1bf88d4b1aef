/**
 * Something that ends once, and what has to be undone then. It stands where an `AbortSignal` would: the listeners of
 * a signal that many requests share pile up until the garbage is collected.
 */
export interface Lifetime {
  readonly ended: boolean;
  /** Runs `task` at the end, at once if that is past. The result takes the task back. */
  onEnd(task: () => void): () => void;
  end(): void;
}

/** Ends with its parent, or earlier by itself. */
export function createLifetime(parent?: Lifetime): Lifetime {
  return new LifetimeWithin(parent);
}

class LifetimeWithin implements Lifetime {
  #ended = false;
  readonly #tasks = new Set<() => void>();
  readonly #leave: (() => void) | undefined;

  constructor(parent: Lifetime | undefined) {
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
export function during<T>(lifetime: Lifetime, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stay = lifetime.onEnd(() => resolve(undefined));
    work.finally(stay).then(resolve, reject);
  });
}

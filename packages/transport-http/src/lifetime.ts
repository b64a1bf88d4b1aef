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
  let ended = false;
  const tasks = new Set<() => void>();
  const lifetime: Lifetime = {
    get ended() {
      return ended;
    },
    onEnd(task) {
      if (ended) {
        task();
        return () => undefined;
      }
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    end() {
      if (ended) return;
      ended = true;
      leave?.();
      const all = [...tasks];
      tasks.clear();
      for (const task of all) task();
    },
  };
  const leave = parent?.onEnd(() => lifetime.end());
  return lifetime;
}

/** Settles as `work` does, or with nothing when `lifetime` ends first. */
export function during<T>(lifetime: Lifetime, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stay = lifetime.onEnd(() => resolve(undefined));
    work.finally(stay).then(resolve, reject);
  });
}

import type { Clock } from '@mcp-fittings/client-core';
import { linkSignal, sleep } from './waits.js';

/**
 * Ends once and then runs the cleanup tasks that were registered. Every request has one, where other programs use an
 * `AbortController`: one that follows another controller costs ten times as much.
 */
export interface Lifetime extends LifetimeSignal {
  /** Ends it and runs the tasks. Safe to call again. */
  end(): void;
}

/** The part of a {@link Lifetime} that only observes it, as `AbortSignal` is to `AbortController`. Every transport is one. */
export interface LifetimeSignal {
  /** True if it has ended. */
  readonly ended: boolean;
  /** Runs `task` when it ends, or now if it has ended. Returns a function that unregisters the task. */
  onEnd(task: () => void): () => void;
}

/** Creates a lifetime that ends with its parent at the latest. */
export function createLifetime(parent?: LifetimeSignal): Lifetime {
  return new LifetimeWithin(parent);
}

class LifetimeWithin implements Lifetime {
  #ended = false;
  /**
   * Not a `Set`, which is copied every few dozen changes: V8 keeps what the old copies hold until the next full collection. That must
   * not be all requests of a connection.
   */
  #tasks: (() => void)[] = [];
  #leave: (() => void) | undefined;

  constructor(parent: LifetimeSignal | undefined) {
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
    this.#tasks.push(task);
    return () => {
      const index = this.#tasks.indexOf(task);
      if (index !== -1) this.#tasks.splice(index, 1);
    };
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave?.();
    this.#leave = undefined;
    const tasks = this.#tasks;
    this.#tasks = [];
    for (const task of tasks) task();
  }
}

/** Settles as `work` does, or resolves with `undefined` if `lifetime` ends first. */
export function untilEnd<T>(lifetime: LifetimeSignal, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stay = lifetime.onEnd(() => resolve(undefined));
    // Not with `finally`, which makes two promises more.
    work.then(
      (value) => {
        stay();
        resolve(value);
      },
      (error: unknown) => {
        stay();
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the work
        reject(error);
      },
    );
  });
}

/** Resolves after `ms` milliseconds, or as soon as `lifetime` ends. No timer is left behind. */
export async function sleepWithin(lifetime: LifetimeSignal, ms: number, clock: Clock): Promise<void> {
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

// As they are when this is imported, see afterTurn(). To import them from `node:timers` takes up to 1 ms.
// oxlint-disable-next-line typescript/unbound-method -- they need no `this`
const { clearImmediate, clearTimeout, setImmediate, setTimeout } = globalThis;

/**
 * Runs `task` in a later turn of the event loop, after sockets have had their turn. Keeps the process alive until then. Returns
 * what cancels the task.
 *
 * Messages must not depend on a clock that a test has stopped. Test runners replace `setImmediate` in the global scope when a test asks
 * for it, which is after this was imported. A message channel would do too, but the first message makes Node.js 24 load
 * what it has of undici: 24 ms, more than it takes to start.
 */
export function afterTurn(task: () => void): () => void {
  if (typeof setImmediate === 'function') {
    const immediate = setImmediate(task);
    return () => clearImmediate(immediate);
  }
  // In a browser.
  const timer = setTimeout(task, 0);
  return () => clearTimeout(timer);
}

/**
 * Spaces out the rejections of a wire that accepts nothing: the first in a turn of the event loop happens at once, further ones
 * in the next turn. Otherwise a caller that retries without a pause would keep the event loop in promise jobs forever, and the
 * end of the wire, which needs a turn, would never be noticed.
 */
export class RefusalPace {
  /** Rejections that wait for the next turn. Undefined if none has happened in this turn. */
  #waiting: (() => void)[] | undefined;

  /** Calls `reject` now, or in the next turn if another one was called in this turn. */
  run(reject: () => void): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(reject);
      return;
    }
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    afterTurn(() => {
      this.#waiting = undefined;
      for (const task of waiting) task();
    });
    reject();
  }
}

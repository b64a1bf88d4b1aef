/**
 * Runs `task` in a later turn of the event loop, after timers and sockets have had their turn. It uses a message channel,
 * because test runners replace `setTimeout` and `setImmediate`, and messages must not depend on a stopped clock. It keeps the
 * process alive until then.
 */
export function afterTurn(task: () => void): void {
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    task();
  };
  // The types of Node.js lack this member of the web standard, which Node.js has.
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}

type Channel = InstanceType<typeof MessageChannel>;

/** Does the same as {@link afterTurn} many times with the same channels. Keeps the process alive only while a task waits. */
export class Turns {
  /** Two channels, because what a port receives from its own handler is handled in the same turn. */
  #channels: { readonly first: Channel; readonly second: Channel } | undefined;
  #tasks: (() => void)[] = [];

  after(task: () => void): void {
    this.#tasks.push(task);
    if (this.#tasks.length > 1) return;
    const { first, second } = (this.#channels ??= this.#open());
    first.port1.ref();
    second.port1.ref();
    first.port2.postMessage(undefined);
  }

  /** Frees the channels. Waiting tasks do not run. */
  close(): void {
    this.#channels?.first.port1.close();
    this.#channels?.second.port1.close();
    this.#channels = undefined;
    this.#tasks = [];
  }

  #open(): { readonly first: Channel; readonly second: Channel } {
    const first = new MessageChannel();
    const second = new MessageChannel();
    Object.assign(first.port1, { onmessage: () => second.port2.postMessage(undefined) });
    const onmessage = (): void => {
      first.port1.unref();
      second.port1.unref();
      for (const task of this.#tasks.splice(0)) task();
    };
    Object.assign(second.port1, { onmessage });
    return { first, second };
  }
}

/**
 * Spaces out the rejections of a wire that accepts nothing: the first in a turn of the event loop happens at once, further ones
 * in the next turn. Otherwise a caller that retries without a pause would keep the event loop in promise jobs forever, and the
 * end of the wire, which needs a turn, would never be noticed.
 */
export class RefusalPace {
  /** Rejections that wait for the next turn. Undefined if none has happened in this turn. */
  #waiting: (() => void)[] | undefined;

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

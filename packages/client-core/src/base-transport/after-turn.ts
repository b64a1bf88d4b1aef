/**
 * Runs `task` in a later turn of the event loop, after timers and sockets had theirs. A message channel carries it:
 * test runners replace `setTimeout` and `setImmediate`, and no message may depend on a clock that a test has stopped.
 * Until then it keeps the process alive.
 */
export function afterTurn(task: () => void): void {
  const { port1, port2 } = new MessageChannel();
  const onmessage = (): void => {
    port1.close();
    task();
  };
  // Assigned like this because the types of Node do not know the member of the web standard, which Node has.
  Object.assign(port1, { onmessage });
  port2.postMessage(undefined);
}

type Channel = InstanceType<typeof MessageChannel>;

/** The same for whoever needs many turns: it keeps its channels, and the process alive only while a task waits. */
export class Turns {
  /** Two: what a port gets from its own handler is handled in the same turn. */
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

  /** Frees the channels; what waits runs no more. */
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

import type { JSONRPCMessage } from '../contracts/json-rpc.js';
import { isResponse } from '../jsonrpc/classify.js';

/**
 * Hands messages on in order, one at a time, and holds a response back for two microtasks when a notification went
 * right before it.
 *
 * The SDK clients run notification handlers one microtask late but settle responses at once, and then forget the
 * progress handler: progress that shares a chunk with its response would be lost.
 */
export interface OrderedDelivery {
  push(message: JSONRPCMessage): void;
  /** Hands on at once what is held back: the connection ends. */
  flush(): void;
  /** Drops what is held back and all that follows. */
  stop(): void;
}

/** The room of delivered messages is given back in steps, so that it costs little a message. */
const GIVE_BACK_AT = 1024;

/** `hand` must not throw. */
export function createOrderedDelivery(hand: (message: JSONRPCMessage) => void): OrderedDelivery {
  let queue: JSONRPCMessage[] = [];
  /** Messages of the queue before this one were handed on. */
  let next = 0;
  let handing = false;
  let notified = false;
  let stopped = false;

  const mustWait = (message: JSONRPCMessage): boolean => notified && isResponse(message);

  const settle = (): void => {
    notified = false;
    drain();
  };

  const pass = (message: JSONRPCMessage): void => {
    if (!notified && !isResponse(message)) {
      notified = true;
      queueMicrotask(() => queueMicrotask(settle));
    }
    hand(message);
  };

  const drain = (): void => {
    if (handing) return;
    handing = true;
    for (let message = queue[next]; message !== undefined && !mustWait(message); message = queue[next]) {
      next++;
      pass(message);
    }
    handing = false;
    if (next === queue.length || (next >= GIVE_BACK_AT && next * 2 >= queue.length)) {
      queue = queue.slice(next);
      next = 0;
    }
  };

  return {
    push(message) {
      if (stopped) return;
      if (handing || next < queue.length || mustWait(message)) {
        queue.push(message);
        return drain();
      }
      handing = true;
      pass(message);
      handing = false;
      if (next < queue.length) drain();
    },
    flush() {
      for (let message = queue[next]; message !== undefined; message = queue[next]) {
        next++;
        hand(message);
      }
    },
    stop() {
      stopped = true;
      queue = [];
      next = 0;
    },
  };
}

import { randomBytes } from 'node:crypto';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import type { OpenCall } from './open-call.js';

/** Options of {@link HeldCalls}. */
export interface HeldCallsOptions {
  readonly clock: Clock;
  /** Longest time that a call waits for its client, in milliseconds. */
  readonly answerMs: number;
  /** Most calls that wait for their clients. */
  readonly maxCalls: number;
  /** Most calls of one caller that wait. */
  readonly maxCallsPerCaller: number;
  /** Returns the id of a call, which names this replica if there are others. */
  readonly toId: (secret: string) => string;
}

interface Held {
  readonly call: OpenCall;
  readonly binding: string;
  readonly timer: Disposable;
  readonly counted: Disposable;
}

/** Keeps calls that wait until their client sends its answers with another request. */
export class HeldCalls {
  readonly #options: HeldCallsOptions;
  readonly #held = new Map<string, Held>();
  readonly #byCaller = new Map<string, number>();
  #waiting = 0;

  constructor(options: HeldCallsOptions) {
    this.#options = options;
  }

  /**
   * Keeps a call and returns an unguessable id, which is valid once. A call whose client does not return in time is given up.
   * Gives it up at once, and throws `RATE_LIMITED`, if too many calls wait.
   * @param binding - what the next request must match: the caller, the method and its parameters
   */
  hold(call: OpenCall, binding: string): string {
    const { clock, answerMs, toId } = this.#options;
    let counted: Disposable;
    try {
      counted = this.count(call.callerId);
    } catch (error) {
      call.abandon(error);
      throw error;
    }
    const secret = randomBytes(32).toString('base64url');
    const id = toId(secret);
    const timer = clock.schedule(
      () => {
        this.take(id, binding);
        const text = `The client did not answer a question within ${answerMs} ms.`;
        call.abandon(new FittingsError('TIMEOUT', text));
      },
      answerMs,
      { unref: true },
    );
    this.#held.set(id, { call, binding, timer, counted });
    return id;
  }

  /** Counts one more call of a caller that waits, until it is disposed. Throws `RATE_LIMITED` if too many calls wait. */
  count(callerId: string): Disposable {
    const { maxCalls, maxCallsPerCaller } = this.#options;
    const own = this.#byCaller.get(callerId) ?? 0;
    if (this.#waiting >= maxCalls || own >= maxCallsPerCaller) {
      throw new FittingsError('RATE_LIMITED', 'Too many calls wait for answers of their clients.', {
        delivery: 'unknown',
        hint: 'Answer or cancel the other calls first.',
      });
    }
    this.#waiting++;
    this.#byCaller.set(callerId, own + 1);
    return {
      [Symbol.dispose]: () => {
        this.#waiting--;
        const left = (this.#byCaller.get(callerId) ?? 0) - 1;
        if (left > 0) this.#byCaller.set(callerId, left);
        else this.#byCaller.delete(callerId);
      },
    };
  }

  /** Returns a call that is kept under this id and binding, and forgets it. `undefined` for any other one. */
  take(id: string, binding: string): OpenCall | undefined {
    const own = this.#held.get(id);
    if (own === undefined || own.binding !== binding) return undefined;
    this.#remove(id, own);
    return own.call;
  }

  /** Gives up every call. */
  close(): void {
    for (const [id, own] of this.#held) {
      this.#remove(id, own);
      own.call.abandon(new FittingsError('TRANSPORT_CLOSED', 'The gateway is closing.'));
    }
  }

  #remove(id: string, { timer, counted }: Held): void {
    this.#held.delete(id);
    timer[Symbol.dispose]();
    counted[Symbol.dispose]();
  }
}

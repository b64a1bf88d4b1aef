import type { Clock } from '@mcp-fittings/client-core';
import type { Connection } from '../connection/connect-once.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import type { Call } from './server-calls.js';

interface Sent {
  readonly call: Call<unknown>;
  readonly connection: Connection;
  readonly answered: Promise<unknown>;
}

/** The calls of one server that were sent and have no response yet. */
export class OpenCalls {
  /** Not in a `Map`, see `InFlight` of the toolbox. */
  readonly #sent: Sent[] = [];

  add(sent: Sent): void {
    this.#sent.push(sent);
  }

  delete(call: Call<unknown>): void {
    const index = this.#sent.findIndex((each) => each.call === call);
    if (index !== -1) this.#sent.splice(index, 1);
  }

  inFlight(): readonly CallInFlight[] {
    return this.#sent.map(({ call }) => described(call));
  }

  /** Resolves when no call is open on this connection. */
  async settled(connection: Connection): Promise<void> {
    const open = this.#sent.filter((each) => each.connection === connection);
    await Promise.allSettled(open.map(({ answered }) => answered));
  }
}

/** Returns what callbacks are told about a call. */
export function described({ method, target, options: { origin } }: Call<unknown>): CallInFlight {
  return { method, target, ...(origin !== undefined && { origin }) };
}

/** Calls `onIdle` after `ms` without an open call; 0 turns it off. */
export class IdleTimer implements Disposable {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #onIdle: () => void;
  #active = 0;
  #timer: Disposable | undefined;

  constructor(clock: Clock, ms: number, onIdle: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#onIdle = onIdle;
  }

  /** Call it when a call starts (1) or ends (-1). */
  busy(delta: 1 | -1): void {
    this.#active += delta;
    if (this.#ms > 0) this.arm();
  }

  /** Starts the timer if no call is open. */
  arm(): void {
    this[Symbol.dispose]();
    if (this.#ms > 0 && this.#active === 0)
      this.#timer = this.#clock.schedule(this.#onIdle, this.#ms, { unref: true });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }
}

import type { Clock } from '@mcp-fittings/client-core';
import type { Connection } from '../connection/connect-once.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import type { AsyncContext } from '../platform.js';
import type { RunningCall } from '../setup/server-deps.js';
import type { Call } from './server-calls.js';

interface Sent {
  readonly connection: Connection;
  readonly answered: Promise<unknown>;
}

/** The calls of one server that were sent and have no response yet. */
export class OpenCalls {
  readonly #running: AsyncContext<RunningCall>;
  readonly #sent = new Map<Call<unknown>, Sent>();

  constructor(running: AsyncContext<RunningCall>) {
    this.#running = running;
  }

  add(call: Call<unknown>, sent: Sent): void {
    this.#sent.set(call, sent);
  }

  delete(call: Call<unknown>): void {
    this.#sent.delete(call);
  }

  /** Runs work in the asynchronous context of a call, in which {@link current} returns it. */
  run<T>(call: Call<unknown>, work: () => T): T {
    return this.#running.run({ owner: this, call: described(call) }, work);
  }

  /** Runs work outside the context of any call. */
  exit<T>(work: () => T): T {
    return this.#running.exit(work);
  }

  /** Returns the call with an `origin` in whose asynchronous context this is called. */
  current(): CallInFlight | undefined {
    const running = this.#running.getStore();
    return running?.owner === this ? running.call : undefined;
  }

  inFlight(): readonly CallInFlight[] {
    return Array.from(this.#sent.keys(), described);
  }

  /** Resolves when no call is open on this connection. */
  async settled(connection: Connection): Promise<void> {
    const open = [...this.#sent.values()].filter((each) => each.connection === connection);
    await Promise.allSettled(open.map(({ answered }) => answered));
  }
}

function described({ method, target, options: { origin } }: Call<unknown>): CallInFlight {
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

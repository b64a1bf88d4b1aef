import type { FittingsError, RequestId, TransportError } from '@mcp-fittings/client-core';
import { answersId } from '../messages.js';
import { InFlight } from './in-flight.js';
import { RecentMap } from './recent-map.js';

interface Pending {
  /** Its response has arrived and is about to be delivered. */
  answered: boolean;
  /** It is not on the wire yet. */
  unsent: boolean;
  readonly resolve: () => void;
  readonly reject: (error: FittingsError) => void;
}

/** Late responses are expected for this many given-up requests; older ones count as unknown. */
const FORGOTTEN_KEPT = 64;

/** The requests of one connection that wait for a response. The ids `1` and `"1"` differ, see {@link PendingRequests.own}. */
export class PendingRequests {
  readonly #waiting = new InFlight<Pending>();
  readonly #forgotten = new RecentMap<RequestId, true>(FORGOTTEN_KEPT);

  /** Returns a promise that settles when the request is answered, forgotten or failed; undefined if the id is in use. */
  add(id: RequestId): Promise<void> | undefined {
    if (this.#waiting.has(id)) return undefined;
    return new Promise((resolve, reject) =>
      this.#waiting.set(id, { answered: false, unsent: false, resolve, reject }),
    );
  }

  /** Returns the id of the request that the peer means, which may be waiting or forgotten: its number, if the peer returns it as text. */
  own(id: RequestId): RequestId {
    if (typeof id === 'number' || this.#waiting.has(id)) return id;
    const number = Number(id);
    const isKnown = this.#waiting.has(number) || this.wasForgotten(number);
    return isKnown && answersId(id, number) ? number : id;
  }

  /** Returns whether the request waits for its response. */
  has(id: RequestId): boolean {
    return this.#waiting.get(id)?.answered === false;
  }

  /** Notes that a response has arrived, so that {@link fail} ignores the request. False if it is unknown or answered already. */
  answer(id: RequestId): boolean {
    const entry = this.#waiting.get(id);
    if (entry === undefined || entry.answered) return false;
    entry.answered = true;
    return true;
  }

  /** Removes a request whose response is being delivered, and returns what resolves it; undefined if it was given up meanwhile. */
  takeAnswered(id: RequestId): (() => void) | undefined {
    const entry = this.#waiting.get(id);
    if (entry?.answered !== true) return undefined;
    this.#waiting.delete(id);
    return entry.resolve;
  }

  /** Gives up a request. If its response arrives later, {@link wasForgotten} returns true. */
  forget(id: RequestId): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    this.#waiting.delete(id);
    this.#forgotten.set(id, true);
    entry.resolve();
  }

  wasForgotten(id: RequestId): boolean {
    return this.#forgotten.has(id);
  }

  fail(id: RequestId, error: FittingsError): boolean {
    const reject = this.release(id);
    reject?.(error);
    return reject !== undefined;
  }

  /** Does the same as {@link fail}, but returns the function that rejects the request, for later. */
  release(id: RequestId): ((error: FittingsError) => void) | undefined {
    const entry = this.#waiting.get(id);
    if (entry?.answered !== false) return undefined;
    this.#waiting.delete(id);
    this.#forgotten.set(id, true);
    return entry.reject;
  }

  /** Notes whether the request still waits on this side, so that the peer cannot have seen it. */
  setUnsent(id: RequestId, unsent: boolean): void {
    const entry = this.#waiting.get(id);
    if (entry !== undefined) entry.unsent = unsent;
  }

  isUnsent(id: RequestId): boolean {
    return this.#waiting.get(id)?.unsent === true;
  }

  failAll(errorFor: (unsent: boolean) => TransportError): void {
    for (const id of this.#waiting.ids()) {
      const entry = this.#waiting.get(id);
      this.#waiting.delete(id);
      entry?.reject(errorFor(entry.unsent));
    }
  }
}

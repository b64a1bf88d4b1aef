import type { FittingsError, RequestId, TransportError } from '@mcp-fittings/client-core';
import { answersId } from '../messages.js';

interface Pending {
  readonly id: RequestId;
  /** Its response has arrived and is about to be delivered. */
  answered: boolean;
  /** It is not on the wire yet. */
  unsent: boolean;
  readonly resolve: () => void;
  readonly reject: (error: FittingsError) => void;
}

/** Late responses are expected for this many given-up requests; older ones count as unknown. */
const FORGOTTEN_KEPT = 64;

/**
 * The requests of one connection that wait for a response. The ids `1` and `"1"` differ, see {@link PendingRequests.own}.
 *
 * The oldest request has a place of its own. With one call at a time, a map would get and lose one entry per call, and V8
 * allocates its table anew for every few of them: 0.2 µs of a call.
 */
export class PendingRequests {
  /** Older than all of {@link #others}. */
  #oldest: Pending | undefined;
  /** Created for the first request that is sent while another one waits. */
  #others: Map<RequestId, Pending> | undefined;
  /** Created for the first one, which most connections never have. */
  #forgotten: Set<RequestId> | undefined;

  /** Returns a promise that settles when the request is answered, forgotten or failed; undefined if the id is in use. */
  add(id: RequestId): Promise<void> | undefined {
    if (this.#find(id) !== undefined) return undefined;
    return new Promise((resolve, reject) =>
      this.#insert({ id, answered: false, unsent: false, resolve, reject }),
    );
  }

  /** Returns the id of the request that the peer means, which may be waiting or forgotten: its number, if the peer returns it as text. */
  own(id: RequestId): RequestId {
    if (typeof id === 'number' || this.#find(id) !== undefined) return id;
    const number = Number(id);
    const isKnown = this.#find(number) !== undefined || this.wasForgotten(number);
    return isKnown && answersId(id, number) ? number : id;
  }

  /** Returns whether the request waits for its response. */
  has(id: RequestId): boolean {
    return this.#find(id)?.answered === false;
  }

  /** Notes that a response has arrived, so that {@link fail} ignores the request. False if it is unknown or answered already. */
  answer(id: RequestId): boolean {
    const entry = this.#find(id);
    if (entry === undefined || entry.answered) return false;
    entry.answered = true;
    return true;
  }

  /** Removes a request whose response is being delivered, and returns what resolves it; undefined if it was given up meanwhile. */
  takeAnswered(id: RequestId): (() => void) | undefined {
    const entry = this.#find(id);
    if (entry?.answered !== true) return undefined;
    this.#remove(entry);
    return entry.resolve;
  }

  /** Gives up a request. If its response arrives later, {@link wasForgotten} returns true. */
  forget(id: RequestId): void {
    const entry = this.#find(id);
    if (entry === undefined) return;
    this.#remove(entry);
    this.#remember(id);
    entry.resolve();
  }

  wasForgotten(id: RequestId): boolean {
    return this.#forgotten?.has(id) === true;
  }

  fail(id: RequestId, error: FittingsError): boolean {
    const reject = this.release(id);
    reject?.(error);
    return reject !== undefined;
  }

  /** Does the same as {@link fail}, but returns the function that rejects the request, for later. */
  release(id: RequestId): ((error: FittingsError) => void) | undefined {
    const entry = this.#find(id);
    if (entry?.answered !== false) return undefined;
    this.#remove(entry);
    this.#remember(id);
    return entry.reject;
  }

  /** Notes whether the request still waits on this side, so that the peer cannot have seen it. */
  setUnsent(id: RequestId, unsent: boolean): void {
    const entry = this.#find(id);
    if (entry !== undefined) entry.unsent = unsent;
  }

  isUnsent(id: RequestId): boolean {
    return this.#find(id)?.unsent === true;
  }

  failAll(errorFor: (unsent: boolean) => TransportError): void {
    const all = [...(this.#others?.values() ?? [])];
    if (this.#oldest !== undefined) all.unshift(this.#oldest);
    this.#oldest = undefined;
    this.#others = undefined;
    for (const entry of all) entry.reject(errorFor(entry.unsent));
  }

  #find(id: RequestId): Pending | undefined {
    const oldest = this.#oldest;
    return oldest?.id === id ? oldest : this.#others?.get(id);
  }

  #insert(entry: Pending): void {
    if (this.#oldest === undefined && (this.#others === undefined || this.#others.size === 0))
      this.#oldest = entry;
    else (this.#others ??= new Map()).set(entry.id, entry);
  }

  #remove(entry: Pending): void {
    if (this.#oldest === entry) this.#oldest = undefined;
    else this.#others?.delete(entry.id);
  }

  #remember(id: RequestId): void {
    const forgotten = (this.#forgotten ??= new Set());
    forgotten.add(id);
    const oldest = forgotten.values().next();
    if (forgotten.size > FORGOTTEN_KEPT && oldest.done !== true) forgotten.delete(oldest.value);
  }
}

import type { RequestId } from '../contracts/json-rpc.js';
import type { FittingsError } from '../errors/fittings-error.js';
import type { TransportError } from '../errors/fittings-error.js';

interface Pending {
  /** Its response has arrived and is about to be delivered. */
  answered: boolean;
  /** It is not on the wire yet. */
  unsent: boolean;
  readonly resolve: () => void;
  readonly reject: (error: FittingsError) => void;
}

/** The requests of one connection that wait for a response. The ids `1` and `"1"` differ. */
export interface PendingRequests {
  /** Returns a promise that settles when the request is answered, forgotten or failed; undefined if the id is in use. */
  add(id: RequestId): Promise<void> | undefined;
  /** Returns whether the request waits for its response. */
  has(id: RequestId): boolean;
  /** Notes that a response has arrived, so that {@link fail} ignores the request. False if it is unknown or answered already. */
  answer(id: RequestId): boolean;
  /** Removes a request whose response is being delivered, and returns what resolves it; undefined if it was given up meanwhile. */
  takeAnswered(id: RequestId): (() => void) | undefined;
  /** Gives up a request. If its response arrives later, {@link wasForgotten} returns true. */
  forget(id: RequestId): void;
  wasForgotten(id: RequestId): boolean;
  fail(id: RequestId, error: FittingsError): boolean;
  /** Like {@link fail}, but returns the function that rejects the request, for later. */
  release(id: RequestId): ((error: FittingsError) => void) | undefined;
  /** Notes whether the request still waits on this side, so that the peer cannot have seen it. */
  setUnsent(id: RequestId, unsent: boolean): void;
  isUnsent(id: RequestId): boolean;
  failAll(errorFor: (unsent: boolean) => TransportError): void;
}

/** Late responses are expected for this many given-up requests; older ones count as unknown. */
const FORGOTTEN_KEPT = 64;

export function createPendingRequests(): PendingRequests {
  return new PendingById();
}

/** A class, like everything that each connection has, because closures take several times the memory. */
class PendingById implements PendingRequests {
  readonly #pending = new Map<RequestId, Pending>();
  /** Created for the first one, which most connections never have. */
  #forgotten: Set<RequestId> | undefined;

  add(id: RequestId): Promise<void> | undefined {
    if (this.#pending.has(id)) return undefined;
    return new Promise((resolve, reject) =>
      this.#pending.set(id, { answered: false, unsent: false, resolve, reject }),
    );
  }

  has(id: RequestId): boolean {
    return this.#pending.get(id)?.answered === false;
  }

  answer(id: RequestId): boolean {
    const entry = this.#pending.get(id);
    if (entry === undefined || entry.answered) return false;
    entry.answered = true;
    return true;
  }

  takeAnswered(id: RequestId): (() => void) | undefined {
    const entry = this.#pending.get(id);
    if (entry?.answered !== true) return undefined;
    this.#pending.delete(id);
    return entry.resolve;
  }

  forget(id: RequestId): void {
    const entry = this.#take(id);
    if (entry === undefined) return;
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

  release(id: RequestId): ((error: FittingsError) => void) | undefined {
    if (!this.has(id)) return undefined;
    this.#remember(id);
    return this.#take(id)?.reject;
  }

  setUnsent(id: RequestId, unsent: boolean): void {
    const entry = this.#pending.get(id);
    if (entry !== undefined) entry.unsent = unsent;
  }

  isUnsent(id: RequestId): boolean {
    return this.#pending.get(id)?.unsent === true;
  }

  failAll(errorFor: (unsent: boolean) => TransportError): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const entry of all) entry.reject(errorFor(entry.unsent));
  }

  #take(id: RequestId): Pending | undefined {
    const entry = this.#pending.get(id);
    if (entry !== undefined) this.#pending.delete(id);
    return entry;
  }

  #remember(id: RequestId): void {
    const forgotten = (this.#forgotten ??= new Set());
    forgotten.add(id);
    const oldest = forgotten.values().next();
    if (forgotten.size > FORGOTTEN_KEPT && oldest.done !== true) forgotten.delete(oldest.value);
  }
}

import type { RequestId } from '../contracts/json-rpc.js';
import type { FittingsError } from '../errors/fittings-error.js';
import type { TransportError } from '../errors/fittings-error.js';

interface Pending {
  /** Its answer came and is about to be delivered. */
  answered: boolean;
  /** No wire has seen it so far. */
  unsent: boolean;
  readonly resolve: () => void;
  readonly reject: (error: FittingsError) => void;
}

/** The requests of one connection whose answer is still to come. Ids `1` and `"1"` are two. */
export interface PendingRequests {
  /** Settles when the request is answered, forgotten or failed. Undefined: the id is in flight already. */
  add(id: RequestId): Promise<void> | undefined;
  /** In flight, and its answer has not come yet. */
  has(id: RequestId): boolean;
  /** Its answer came. False: nobody waits for it, or it is not the first one. From now on {@link fail} leaves it alone. */
  answer(id: RequestId): boolean;
  /** Its answer is delivered now: what settles it afterwards. Undefined: it was given up since the answer came. */
  takeAnswered(id: RequestId): (() => void) | undefined;
  /** Nobody wants the answer any more; should it come late, {@link wasForgotten} knows it. */
  forget(id: RequestId): void;
  wasForgotten(id: RequestId): boolean;
  fail(id: RequestId, error: FittingsError): boolean;
  /** Like {@link fail}, for whoever rejects it a little later. */
  release(id: RequestId): ((error: FittingsError) => void) | undefined;
  /** Whether it still waits on this side, so that the peer cannot have seen it. */
  setUnsent(id: RequestId, unsent: boolean): void;
  isUnsent(id: RequestId): boolean;
  failAll(errorFor: (unsent: boolean) => TransportError): void;
}

/** Late answers are expected for this many given-up requests; older ones count as unknown. */
const FORGOTTEN_KEPT = 64;

export function createPendingRequests(): PendingRequests {
  return new PendingById();
}

/** A class, as the other parts that every connection has: closures take several times the memory. */
class PendingById implements PendingRequests {
  readonly #pending = new Map<RequestId, Pending>();
  /** None before the first, which most connections never have. */
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

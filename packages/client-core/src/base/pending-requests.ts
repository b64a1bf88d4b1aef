import type { RequestId } from '../contracts/json-rpc.js';
import type { FittingsError } from '../errors/fittings-error.js';
import type { TransportError } from '../errors/transport-error.js';

interface Pending {
  /** Its answer came and is about to be delivered. */
  answered: boolean;
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
  failAll(errorFor: (id: RequestId) => TransportError): void;
}

/** Late answers are expected for this many given-up requests; older ones count as unknown. */
const FORGOTTEN_KEPT = 64;

export function createPendingRequests(): PendingRequests {
  const pending = new Map<RequestId, Pending>();
  const forgotten = new Set<RequestId>();

  const take = (id: RequestId): Pending | undefined => {
    const entry = pending.get(id);
    if (entry !== undefined) pending.delete(id);
    return entry;
  };
  const remember = (id: RequestId): void => {
    forgotten.add(id);
    const oldest = forgotten.values().next();
    if (forgotten.size > FORGOTTEN_KEPT && oldest.done !== true) forgotten.delete(oldest.value);
  };

  return {
    add(id) {
      if (pending.has(id)) return undefined;
      return new Promise((resolve, reject) => pending.set(id, { answered: false, resolve, reject }));
    },
    has: (id) => pending.get(id)?.answered === false,
    answer(id) {
      const entry = pending.get(id);
      if (entry === undefined || entry.answered) return false;
      entry.answered = true;
      return true;
    },
    takeAnswered(id) {
      const entry = pending.get(id);
      if (entry?.answered !== true) return undefined;
      pending.delete(id);
      return entry.resolve;
    },
    forget(id) {
      const entry = take(id);
      if (entry === undefined) return;
      remember(id);
      entry.resolve();
    },
    wasForgotten: (id) => forgotten.has(id),
    fail(id, error) {
      if (pending.get(id)?.answered !== false) return false;
      remember(id);
      take(id)?.reject(error);
      return true;
    },
    failAll(errorFor) {
      const all = [...pending];
      pending.clear();
      for (const [id, entry] of all) entry.reject(errorFor(id));
    },
  };
}

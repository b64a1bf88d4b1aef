import { RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Scope } from '../catalog/exposure.js';
import { RpcError } from '../contracts/rpc-error.js';

/** The event streams of `subscriptions/listen` that each caller can have at each address. */
export class StreamPlaces {
  readonly #max: number;
  readonly #taken = new Map<string, number>();

  constructor(max = 64) {
    this.#max = max;
  }

  /** Takes a place until the result is disposed of. Throws if the caller has all of them. */
  take({ caller, mount }: Scope): Disposable {
    const key = JSON.stringify([caller.id, caller.principal, mount.server]);
    const taken = this.#taken.get(key) ?? 0;
    if (taken >= this.#max) {
      const text = `A caller can have ${this.#max} event streams at a time.`;
      throw new RpcError(RPC_CODES.internalError, text);
    }
    this.#taken.set(key, taken + 1);
    let isTaken = true;
    return {
      [Symbol.dispose]: () => {
        if (!isTaken) return;
        isTaken = false;
        const left = (this.#taken.get(key) ?? 1) - 1;
        if (left === 0) this.#taken.delete(key);
        else this.#taken.set(key, left);
      },
    };
  }
}

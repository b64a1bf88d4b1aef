import type { ListBudget } from '../contracts/engine.js';

/** Bounds what the lists of all servers of a host take together, those included that are still being read. */
export function createListBudget(maxBytes: number): ListBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false;
      taken += bytes;
      return true;
    },
    giveBack(bytes) {
      taken = Math.max(0, taken - bytes);
    },
  };
}

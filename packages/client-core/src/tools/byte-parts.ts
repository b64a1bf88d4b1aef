import { concatBytes } from './bytes.js';

/** Bytes that arrive in parts and are wanted as one: copied when all are there, so the cost is linear. */
export interface ByteParts {
  add(part: Uint8Array): void;
  /** All of it with `end` after it, and nothing is kept. Not copied when `end` is all there is. */
  take(end: Uint8Array): Uint8Array;
  /** A copy of the first bytes, at most `count`. */
  head(count: number): Uint8Array;
  /** A copy of the last bytes, at most `count`. */
  tail(count: number): Uint8Array;
  clear(): void;
  readonly size: number;
}

/** From this many parts on small ones are copied together: a peer that writes single bytes must not cost an object each. */
const PARTS_APART = 16;
const SMALL_BYTES = 4096;
const SLAB_BYTES = 65_536;
const NOTHING = new Uint8Array(0);

export function createByteParts(): ByteParts {
  let parts: Uint8Array[] = [];
  let size = 0;
  /** What the last part is a view of, while it has room. */
  let slab: Uint8Array | undefined;
  let slabUsed = 0;

  const clear = (): void => {
    if (size === 0) return;
    parts = [];
    size = 0;
    slab = undefined;
  };

  return {
    add(part) {
      if (part.length === 0) return;
      size += part.length;
      if (parts.length < PARTS_APART || part.length > SMALL_BYTES) {
        slab = undefined;
        parts.push(part);
        return;
      }
      if (slab === undefined || slabUsed + part.length > SLAB_BYTES) {
        slab = new Uint8Array(SLAB_BYTES);
        slabUsed = 0;
        parts.push(slab);
      }
      slab.set(part, slabUsed);
      slabUsed += part.length;
      parts[parts.length - 1] = slab.subarray(0, slabUsed);
    },
    take(end) {
      if (size === 0) return end;
      const whole = concatBytes(parts, end, size + end.length);
      clear();
      return whole;
    },
    head(count) {
      const first: Uint8Array[] = [];
      let length = 0;
      for (const part of parts) {
        if (length >= count) break;
        first.push(part);
        length += part.length;
      }
      return concatBytes(first.map((part) => part.subarray(0, count))).slice(0, count);
    },
    tail(count) {
      const last: Uint8Array[] = [];
      let length = 0;
      for (let index = parts.length - 1; index >= 0 && length < count; index--) {
        const part = parts[index] ?? NOTHING;
        last.unshift(part.subarray(-count));
        length += part.length;
      }
      return concatBytes(last).slice(-count);
    },
    clear,
    get size() {
      return size;
    },
  };
}

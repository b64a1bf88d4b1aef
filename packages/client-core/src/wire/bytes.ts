/** One array of all parts and, after them, `end`. `total` spares the counting where it is known. */
export function concatBytes(parts: readonly Uint8Array[], end?: Uint8Array, total?: number): Uint8Array {
  const length = total ?? parts.reduce((sum, part) => sum + part.length, end?.length ?? 0);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  if (end !== undefined) whole.set(end, at);
  return whole;
}

/** Makes a decoder that answers undefined where bytes are not well-formed UTF-8: U+FFFD never slips into a message. */
export function createUtf8Decoder(): (bytes: Uint8Array) => string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}

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
  return new SlabbedParts();
}

class SlabbedParts implements ByteParts {
  #parts: Uint8Array[] = [];
  #size = 0;
  /** What the last part is a view of, while it has room. */
  #slab: Uint8Array | undefined;
  #slabUsed = 0;

  get size(): number {
    return this.#size;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#size += part.length;
    if (this.#parts.length < PARTS_APART || part.length > SMALL_BYTES) {
      this.#slab = undefined;
      this.#parts.push(part);
      return;
    }
    if (this.#slab === undefined || this.#slabUsed + part.length > SLAB_BYTES) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#slabUsed = 0;
      this.#parts.push(this.#slab);
    }
    this.#slab.set(part, this.#slabUsed);
    this.#slabUsed += part.length;
    this.#parts[this.#parts.length - 1] = this.#slab.subarray(0, this.#slabUsed);
  }

  take(end: Uint8Array): Uint8Array {
    if (this.#size === 0) return end;
    const whole = concatBytes(this.#parts, end, this.#size + end.length);
    this.clear();
    return whole;
  }

  head(count: number): Uint8Array {
    const first: Uint8Array[] = [];
    let length = 0;
    for (const part of this.#parts) {
      if (length >= count) break;
      first.push(part);
      length += part.length;
    }
    return concatBytes(first.map((part) => part.subarray(0, count))).slice(0, count);
  }

  tail(count: number): Uint8Array {
    const last: Uint8Array[] = [];
    let length = 0;
    for (let index = this.#parts.length - 1; index >= 0 && length < count; index--) {
      const part = this.#parts[index] ?? NOTHING;
      last.unshift(part.subarray(-count));
      length += part.length;
    }
    return concatBytes(last).slice(-count);
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#parts = [];
    this.#size = 0;
    this.#slab = undefined;
  }
}

import { createLargeBytes, type LargeBytes } from './large-bytes.js';

/** Returns one array of all parts, followed by `end`. Pass the `total` length if it is known. */
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

/** Creates a decoder that returns undefined for bytes that are not well-formed UTF-8, instead of inserting U+FFFD. */
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

/** Collects bytes that arrive in parts, see {@link createByteCollector}. They are joined once, so the cost is linear. */
export interface ByteCollector {
  /** Adds bytes. Do not change the array later. */
  add(part: Uint8Array): void;
  /**
   * Returns all bytes followed by `end`, and forgets them. `end` is not copied if there is nothing else. With
   * {@link ByteCollectorOptions.growsInPlace}, the next `add()` or `clear()` empties the result.
   */
  take(end: Uint8Array): Uint8Array;
  /** Returns a copy of the first bytes, at most `count`. */
  head(count: number): Uint8Array;
  /** Returns a copy of the last bytes, at most `count`. */
  tail(count: number): Uint8Array;
  /** Forgets all bytes. */
  clear(): void;
  /** Number of collected bytes. */
  readonly size: number;
}

/** Options of {@link createByteCollector}. */
export interface ByteCollectorOptions {
  /**
   * From 1 MiB on, keeps the bytes in one place that grows up to this many bytes, where the runtime can do so. `take()` then
   * copies nothing, and `clear()` frees the memory at once: call it as soon as the result of `take()` is decoded. Default none.
   */
  readonly growsInPlace?: number | undefined;
}

/** From this many parts on, small ones are copied together, so that a peer that writes single bytes does not cost an object each. */
const PARTS_APART = 16;
const SMALL_BYTES = 4096;
const SLAB_BYTES = 65_536;
const LARGE_BYTES = 1024 * 1024;
const NOTHING = new Uint8Array(0);

/** Creates an empty collection of bytes. */
export function createByteCollector(options: ByteCollectorOptions = {}): ByteCollector {
  return new SlabbedParts(options.growsInPlace ?? 0);
}

class SlabbedParts implements ByteCollector {
  #parts: Uint8Array[] = [];
  #size = 0;
  /** The buffer of the last part, while it has room. */
  #slab: Uint8Array | undefined;
  #slabUsed = 0;
  readonly #mostInPlace: number;
  /** Holds the bytes where they grow in place. While they do, `#parts` is one view of all of it. */
  #large: LargeBytes | undefined;
  #isGrowing = true;
  #isTaken = false;

  constructor(mostInPlace: number) {
    this.#mostInPlace = mostInPlace;
  }

  get size(): number {
    return this.#size;
  }

  add(part: Uint8Array): void {
    if (part.length === 0) return;
    if (this.#isTaken) this.clear();
    this.#size += part.length;
    if (this.#size > LARGE_BYTES && this.#growInPlace(part)) return;
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
    if (this.#isGrowing && this.#large?.add(end) === true) {
      this.#isTaken = true;
      this.#parts = [];
      this.#size = 0;
      return this.#large.view();
    }
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
    if (this.#size === 0 && !this.#isTaken) return;
    this.#parts = [];
    this.#size = 0;
    this.#slab = undefined;
    this.#large?.clear();
    this.#large = undefined;
    this.#isGrowing = true;
    this.#isTaken = false;
  }

  /** Returns false if these bytes, and all that follow them, are kept in parts. */
  #growInPlace(part: Uint8Array): boolean {
    if (!this.#isGrowing || this.#mostInPlace === 0) return false;
    const large = this.#large ?? createLargeBytes(this.#mostInPlace);
    const added = this.#large === undefined ? [...this.#parts, part] : [part];
    this.#isGrowing = large !== undefined && added.every((each) => large.add(each));
    if (large === undefined || !this.#isGrowing) return false;
    this.#large = large;
    this.#slab = undefined;
    this.#parts = [large.view()];
    return true;
  }
}

import type { RequestId } from '@mcp-fittings/client-core';

/**
 * Keeps what is in flight, by id. The ids `1` and `"1"` differ.
 *
 * Not a `Map` of the values: a `Map` that changes all the time is copied every few dozen changes, and V8 keeps what the old copies hold
 * until the next full collection. Here, these are numbers, and not everything that a request has led to.
 */
export class InFlight<T> {
  readonly #places = new Map<RequestId, number>();
  readonly #values: (T | undefined)[] = [];
  /** Places without a value. */
  readonly #free: number[] = [];

  /** Number of ids. */
  get size(): number {
    return this.#places.size;
  }

  /** Returns whether the id has a value. */
  has(id: RequestId): boolean {
    return this.#places.has(id);
  }

  /** Returns the value of an id. */
  get(id: RequestId): T | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#values[place];
  }

  /** Adds a value, or replaces that of the id. */
  set(id: RequestId, value: T): void {
    const place = this.#places.get(id) ?? this.#free.pop() ?? this.#values.length;
    this.#places.set(id, place);
    this.#values[place] = value;
  }

  /** Removes an id. Returns whether it had a value. */
  delete(id: RequestId): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    this.#places.delete(id);
    this.#values[place] = undefined;
    this.#free.push(place);
    return true;
  }

  /** Returns the ids, the oldest first. */
  ids(): readonly RequestId[] {
    return [...this.#places.keys()];
  }

  /** Returns the values, the oldest first. */
  values(): readonly T[] {
    return this.ids().flatMap((id) => this.get(id) ?? []);
  }
}

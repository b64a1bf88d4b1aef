/** The memory of items that were taken is freed in steps, so that it costs little for each. */
const FREE_AT = 1024;

/** A queue. Unlike with an array, the time to take the first item does not depend on how many there are. */
export class Fifo<T> {
  #items: T[] = [];
  /** Index of the first item that was not taken. */
  #next = 0;

  /** Returns whether there is no item. */
  get isEmpty(): boolean {
    return this.#next >= this.#items.length;
  }

  /** The item that {@link shift} takes. */
  get first(): T | undefined {
    return this.#items[this.#next];
  }

  /** Adds an item. */
  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes the first item. */
  shift(): T | undefined {
    const item = this.#items[this.#next++];
    if (this.isEmpty) this.clear();
    else if (this.#next >= FREE_AT && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }

  /** Drops all items. */
  clear(): void {
    this.#items = [];
    this.#next = 0;
  }
}

type Listeners<Events> = { [Name in keyof Events]?: Set<(event: Events[Name]) => void> };

/** Calls listeners in the order in which they were added. One that throws does not affect the others. */
export class Emitter<Events> {
  readonly #listeners: Listeners<Events> = {};
  readonly #onThrow: (event: keyof Events, error: unknown) => void;

  constructor(onThrow: (event: keyof Events, error: unknown) => void) {
    this.#onThrow = onThrow;
  }

  on<Name extends keyof Events>(event: Name, listener: (event: Events[Name]) => void): Disposable {
    const set = (this.#listeners[event] ??= new Set());
    set.add(listener);
    return { [Symbol.dispose]: () => void set.delete(listener) };
  }

  emit<Name extends keyof Events>(event: Name, payload: Events[Name]): void {
    // A copy: a listener may add or remove listeners.
    for (const listener of Array.from(this.#listeners[event] ?? [])) {
      try {
        listener(payload);
      } catch (error) {
        this.#onThrow(event, error);
      }
    }
  }
}

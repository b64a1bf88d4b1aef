/** Calls listeners in the order in which they were added. One that throws does not affect the others. */
export interface Emitter<Events> {
  on<Name extends keyof Events>(event: Name, listener: (event: Events[Name]) => void): Disposable;
  emit<Name extends keyof Events>(event: Name, payload: Events[Name]): void;
}

type Listeners<Events> = { [Name in keyof Events]?: Set<(event: Events[Name]) => void> };

export function createEmitter<Events>(
  onThrow: (event: keyof Events, error: unknown) => void,
): Emitter<Events> {
  const listeners: Listeners<Events> = {};
  return {
    on(event, listener) {
      const set = (listeners[event] ??= new Set());
      set.add(listener);
      return { [Symbol.dispose]: () => void set.delete(listener) };
    },
    emit(event, payload) {
      // A copy: a listener may add or remove listeners.
      for (const listener of Array.from(listeners[event] ?? [])) {
        try {
          listener(payload);
        } catch (error) {
          onThrow(event, error);
        }
      }
    },
  };
}

/** Members that a client sets. They are not bound to the transport. */
const HANDLERS = ['onmessage', 'onerror', 'onclose', 'onsessionrestored', 'onreconnect'] as const;

/**
 * Returns an object that has every member of `inner`, those of its classes included, except that `own` replaces some. Others
 * read and write `inner`, so that private fields work.
 */
export function delegate<T extends object, Own extends object>(inner: T, own: Own): T & Own {
  const outer: object = {};
  const forward = (key: PropertyKey): void => {
    const bound = new WeakMap<object, unknown>();
    Object.defineProperty(outer, key, {
      configurable: true,
      enumerable: true,
      get() {
        const value: unknown = Reflect.get(inner, key);
        if (typeof value !== 'function' || isHandler(key)) return value;
        // Bound once, so that the member stays the same.
        if (!bound.has(value)) bound.set(value, value.bind(inner));
        return bound.get(value);
      },
      set: (value: unknown) => void Reflect.set(inner, key, value),
    });
  };
  for (let owner: object | null = inner; owner !== null && owner !== Object.prototype;) {
    for (const key of Reflect.ownKeys(owner)) {
      if (key !== 'constructor' && !Object.hasOwn(own, key) && !Object.hasOwn(outer, key)) forward(key);
    }
    const parent: unknown = Object.getPrototypeOf(owner);
    owner = typeof parent === 'object' ? parent : null;
  }
  for (const key of HANDLERS) if (!Object.hasOwn(outer, key) && !Object.hasOwn(own, key)) forward(key);
  Object.defineProperties(outer, Object.getOwnPropertyDescriptors(own));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member was defined above
  return outer as T & Own;
}

function isHandler(key: PropertyKey): boolean {
  return HANDLERS.some((handler) => handler === key);
}

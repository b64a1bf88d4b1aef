/**
 * Returns a proxy that has the members of `own` in place of those of `inner`. All others are read and written there, and methods are
 * bound to it, so that its private fields work.
 */
export function overlay<T extends object, Own extends object>(inner: T, own: Own): T & Own {
  // Bound once, so that a member stays the same.
  const bound = new WeakMap<object, unknown>();
  const outer: object = new Proxy(inner, {
    get(_, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== 'function') return value;
      if (!bound.has(value)) bound.set(value, value.bind(inner));
      return bound.get(value);
    },
    set(_, name, value: unknown) {
      // A handler is read as it was written.
      if (typeof value === 'function') bound.set(value, value);
      return Reflect.set(Object.hasOwn(own, name) ? own : inner, name, value);
    },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the members of both
  return outer as T & Own;
}

/**
 * Copies plain objects and lists at any depth, so that an interceptor that changes a request in place does not change what its caller
 * has. Functions, signals and instances of classes stay the same.
 */
export function copyMembers<T>(value: T): T {
  const copies = new Map<object, object>();
  const copyOf = (original: unknown): unknown => {
    if (typeof original !== 'object' || original === null) return original;
    const isList = Array.isArray(original);
    if (!isList && !isPlain(original)) return original;
    const copy = copies.get(original) ?? (isList ? [] : {});
    copies.set(original, copy);
    return copy;
  };
  const result = copyOf(value);
  // The map grows meanwhile. A recursion would exceed the stack with arguments that a model nests deeply.
  for (const [original, copy] of copies) {
    for (const [name, member] of Object.entries(original)) {
      // Not an assignment, which would set the prototype for the name `__proto__`.
      const property = { value: copyOf(member), writable: true, enumerable: true, configurable: true };
      Object.defineProperty(copy, name, property);
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the same members
  return result as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Copies plain objects and lists at any depth, so that an interceptor that changes a request in place does not change what its caller
 * has. Functions, signals and instances of classes stay the same.
 */
export function copyMembers<T>(value: T, copies: Map<object, object> = new Map()): T {
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the copy of this very value
  if (known !== undefined) return known as T;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  const copy = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  for (const [name, member] of Object.entries(value)) {
    // Not an assignment, which would set the prototype for the name `__proto__`.
    const copied: unknown = copyMembers(member, copies);
    Object.defineProperty(copy, name, {
      value: copied,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has the same members
  return copy as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

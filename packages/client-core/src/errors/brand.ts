/**
 * Two copies of core can be installed side by side, so errors are recognised by the names under this symbol and
 * never by the identity of a class.
 */
export const ERROR_BRAND: unique symbol = Symbol.for('mcp-fittings.error');

type ErrorClass = abstract new (...args: never) => Error;

/**
 * `value instanceof asked`, where `own` is our class of that name. A class that somebody derives from ours inherits
 * the check and asks as itself: it must not take every error of its base for its own.
 */
export function isErrorOf(asked: ErrorClass, own: ErrorClass, name: string, value: unknown): boolean {
  return asked === own
    ? hasErrorBrand(value, name)
    : Function.prototype[Symbol.hasInstance].call(asked, value);
}

function hasErrorBrand(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null || !(ERROR_BRAND in value)) return false;
  const names: unknown = value[ERROR_BRAND];
  return Array.isArray(names) && names.includes(name);
}

/**
 * Returns JSON that is the same for equal values, whatever the order of their members. Leaves out what JSON cannot represent, as
 * `JSON.stringify` does; `undefined` itself is the text `undefined`. Compare and hash it; do not store it.
 */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) => {
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
      return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }) ?? 'undefined'
  );
}

import { createHash } from 'node:crypto';

/** A short name for a JSON value: the same for the same content, whatever the order of its members. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22);
}

/** JSON with sorted members; what JSON can't hold is left out, as `JSON.stringify` does. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) => {
      if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
      return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    }) ?? 'undefined'
  );
}

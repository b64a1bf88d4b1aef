const MAX_DEPTH = 64;
const CUT = '…';

/**
 * Serializes an untrusted value to at most `maxCharacters` characters of JSON. The limit bounds the work too, however large
 * the value is. Truncated text ends with `…` and is not valid JSON.
 */
export function boundedJson(value: unknown, maxCharacters: number): string {
  let left = maxCharacters;
  /** Copies what fits, and a little more. */
  const copy = (original: unknown, depth: number): unknown => {
    if (typeof original === 'string') {
      left -= original.length;
      return original.slice(0, maxCharacters + 1);
    }
    if (typeof original !== 'object' || original === null)
      return typeof original === 'number' || typeof original === 'boolean' ? original : null;
    const isList = Array.isArray(original);
    if (depth >= MAX_DEPTH) return isList ? `[${CUT}]` : `{${CUT}}`;
    const copied: [key: string, member: unknown][] = [];
    for (const each of isList ? original.keys() : Object.keys(original)) {
      if (left < 0) break;
      const member: unknown = Reflect.get(original, each);
      if (member === undefined && !isList) continue;
      const key = isList ? '' : String(each);
      // Each member is written on a line of its own, with its indentation.
      left -= 2 * depth + 4 + key.length;
      copied.push([key, copy(member, depth + 1)]);
    }
    return isList ? copied.map(([, member]) => member) : Object.fromEntries(copied);
  };
  try {
    const text = JSON.stringify(copy(value, 0), undefined, 2);
    return text.length > maxCharacters ? text.slice(0, Math.max(0, maxCharacters - 1)) + CUT : text;
  } catch {
    // A getter of an in-process server threw.
    return '[unreadable]';
  }
}

import { createHash } from 'node:crypto';

/** Returns a text for each pair of texts. The length keeps (a, bc) and (ab, c) apart. */
export const pairKey = (first: string, second: string): string => `${first.length} ${first}${second}`;

/** Returns 26 hexadecimal digits (104 bits) of the SHA-256 of a pair. */
export function hashPair(first: string, second: string): string {
  // JSON keeps (a, bc) and (ab, c) apart, and lone surrogates too.
  const text = JSON.stringify([first, second]);
  return createHash('sha256').update(text).digest('hex').slice(0, 26);
}

/** Returns the name, or the first of `name_2`, `name_3` … that is free, and takes it. */
export function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}

/** Groups items by a key. Groups and items keep their order. */
export function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

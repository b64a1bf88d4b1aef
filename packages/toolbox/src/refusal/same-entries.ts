/** Returns whether two objects have the same names and values. */
export function haveSameEntries(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  for (const name of names) if (one[name] !== other[name] || !Object.hasOwn(other, name)) return false;
  return true;
}

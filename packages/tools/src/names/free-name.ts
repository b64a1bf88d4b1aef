/** Returns the name, or the first of `name_2`, `name_3` … that is free, and takes it. */
export function freeName(name: string, taken: Set<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}

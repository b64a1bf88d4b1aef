/** Whether a name fits a pattern in which `*` stands for any text, also none. Linear in the name for each `*`. */
export function fitsPattern(name: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === pattern;
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from <= name.length - tail.length;
}

export function fitsAny(name: string, patterns: readonly string[] | undefined): boolean {
  return patterns?.some((pattern) => fitsPattern(name, pattern)) === true;
}

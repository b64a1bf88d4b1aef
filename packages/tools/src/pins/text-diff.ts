/** One place where two texts differ. */
export interface TextChange {
  /** Unchanged text before it, at most 40 characters. */
  readonly lead: string;
  readonly removed: string;
  readonly added: string;
  /** Unchanged text after it, at most 40 characters. */
  readonly tail: string;
}

const CONTEXT = 40;
/** Words of longer texts are not compared: everything between the first and the last difference is one change. */
const MAX_CHARACTERS = 40_000;
/** The work grows with the square of this number of words and spaces that differ. */
const MAX_EDITS = 400;
/** Changes with fewer unchanged words and spaces between them are one. */
const MIN_WORDS_APART = 5;

/** Compares two texts word by word. Bounded: texts that differ a lot are one change. */
export function diffText(before: string, after: string): readonly TextChange[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const whole: Edit = { from: [start, start], to: [start + removed.length, start + added.length] };
  const isSmall = removed.length + added.length <= MAX_CHARACTERS;
  const edits = isSmall ? (editsOf(wordsIn(removed), wordsIn(added), start) ?? [whole]) : [whole];
  return edits.map(({ from, to }) => ({
    lead: before.slice(Math.max(0, from[0] - CONTEXT), from[0]),
    removed: before.slice(from[0], to[0]),
    added: after.slice(from[1], to[1]),
    tail: before.slice(to[0], to[0] + CONTEXT),
  }));
}

/** Offsets in both texts. */
interface Edit {
  readonly from: readonly [before: number, after: number];
  readonly to: readonly [before: number, after: number];
}

const wordsIn = (text: string): readonly string[] => text.match(/\S+|\s+/g) ?? [];

/** Returns the length of the beginning that both texts share, up to the end of a word. */
function commonStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  if (length === before.length && length === after.length) return length;
  while (length > 0 && !isSpace(before, length - 1)) length--;
  return length;
}

function commonEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (
    length < most &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  )
    length++;
  while (length > 0 && !isSpace(before, before.length - length)) length--;
  return length;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

/** Compares with the algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). Undefined if too much differs. */
function editsOf(a: readonly string[], b: readonly string[], offset: number): readonly Edit[] | undefined {
  const trace: Int32Array[] = [];
  const most = Math.min(a.length + b.length, MAX_EDITS);
  // Index: diagonal plus `most` plus one.
  const reach = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice());
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = furthest(reach, diagonal, edits, most);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach[diagonal + most + 1] = x;
      if (x >= a.length && x - diagonal >= b.length) {
        return joined(matches(trace, a.length, b.length, most), a, b, offset);
      }
    }
  }
  return undefined;
}

function furthest(reach: Int32Array, diagonal: number, edits: number, most: number): number {
  const down = reach[diagonal + most + 2] ?? 0;
  const right = (reach[diagonal + most] ?? 0) + 1;
  const goesDown = diagonal === -edits || (diagonal !== edits && (reach[diagonal + most] ?? 0) < down);
  return goesDown ? down : right;
}

/** Walks back from the end. Returns the runs of equal words, in order: where each begins in both lists, and its length. */
function matches(
  trace: readonly Int32Array[],
  endA: number,
  endB: number,
  most: number,
): readonly (readonly [a: number, b: number, length: number])[] {
  const runs: (readonly [number, number, number])[] = [];
  let [x, y] = [endA, endB];
  for (let edits = trace.length - 1; edits >= 0 && (x > 0 || y > 0); edits--) {
    const reach = trace[edits] ?? new Int32Array(0);
    const diagonal = x - y;
    const begin = edits === 0 ? 0 : furthest(reach, diagonal, edits, most);
    const length = x - begin;
    if (length > 0) runs.push([begin, begin - diagonal, length]);
    const down = reach[diagonal + most + 2] ?? 0;
    const goesDown = diagonal === -edits || (diagonal !== edits && (reach[diagonal + most] ?? 0) < down);
    [x, y] = goesDown ? [begin, begin - diagonal - 1] : [begin - 1, begin - diagonal];
  }
  return runs.toReversed();
}

/** Returns what is between the runs of equal words, as offsets in the texts. Short runs belong to what is around them. */
function joined(
  runs: readonly (readonly [a: number, b: number, length: number])[],
  a: readonly string[],
  b: readonly string[],
  offset: number,
): readonly Edit[] {
  const placesA = offsetsOf(a, offset);
  const placesB = offsetsOf(b, offset);
  const edits: Edit[] = [];
  let [x, y] = [0, 0];
  for (const [nextA, nextB, length] of [...runs, [a.length, b.length, 0] as const]) {
    const isAtEnd = nextA + length >= a.length;
    if (!isAtEnd && length < MIN_WORDS_APART) continue;
    if (nextA > x || nextB > y) {
      edits.push({
        from: [placesA[x] ?? 0, placesB[y] ?? 0],
        to: [placesA[nextA] ?? 0, placesB[nextB] ?? 0],
      });
    }
    [x, y] = [nextA + length, nextB + length];
  }
  return edits;
}

function offsetsOf(words: readonly string[], offset: number): readonly number[] {
  let at = offset;
  return [at, ...words.map((word) => (at += word.length))];
}

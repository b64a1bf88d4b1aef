import { diffArrays } from 'diff';

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
/** The work grows with the square of this number of words and spaces that differ. If more do, they are one change. */
const MAX_EDITS = 200;
/** Changes with fewer unchanged words and spaces between them are one. */
const MIN_WORDS_APART = 5;

/** Compares two texts word by word. Bounded: texts that differ a lot are one change. */
export function diffText(before: string, after: string): readonly TextChange[] {
  const [a, b] = [wordsIn(before), wordsIn(after)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const removed = a.slice(start, a.length - end);
  const added = b.slice(start, b.length - end);
  const parts = diffArrays(removed, added, { maxEditLength: MAX_EDITS }) ?? [
    { value: removed, removed: true, added: false },
    { value: added, removed: false, added: true },
  ];
  const changes: { from: number; removed: string; added: string }[] = [];
  let at = a.slice(0, start).join('').length;
  let apart = Infinity;
  let unchanged = '';
  for (const part of parts) {
    const text = part.value.join('');
    if (!part.removed && !part.added) {
      apart = part.value.length;
      unchanged = text;
      at += text.length;
      continue;
    }
    if (text === '') continue;
    const last = changes.at(-1);
    const change =
      last !== undefined && apart < MIN_WORDS_APART ? last : { from: at, removed: '', added: '' };
    if (change !== last) changes.push(change);
    else {
      change.removed += unchanged;
      change.added += unchanged;
    }
    [apart, unchanged] = [0, ''];
    change[part.removed ? 'removed' : 'added'] += text;
    if (part.removed) at += text.length;
  }
  return changes.map(({ from, ...change }) => ({
    lead: before.slice(Math.max(0, from - CONTEXT), from),
    ...change,
    tail: before.slice(from + change.removed.length).slice(0, CONTEXT),
  }));
}

const wordsIn = (text: string): string[] => text.match(/\S+|\s+/g) ?? [];

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
/** Words of longer texts are not compared: everything between the first and the last difference is one change. */
const MAX_CHARACTERS = 40_000;
/** The work grows with the square of this number of words and spaces that differ. If more do, they are one change. */
const MAX_EDITS = 200;
/** Changes with fewer unchanged words and spaces between them are one. */
const MIN_WORDS_APART = 5;

/** Compares two texts word by word. Bounded: texts that differ a lot are one change. */
export function diffText(before: string, after: string): readonly TextChange[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const isShort = removed.length + added.length <= MAX_CHARACTERS;
  const options = { maxEditLength: MAX_EDITS };
  const parts = (isShort ? diffArrays(wordsIn(removed), wordsIn(added), options) : undefined) ?? [
    { value: [removed], removed: true, added: false },
    { value: [added], removed: false, added: true },
  ];
  const changes: { from: number; removed: string; added: string }[] = [];
  let at = start;
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

/** Returns the length of the beginning that both texts share, up to the end of a word. */
function commonStart(before: string, after: string): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before.charCodeAt(length) === after.charCodeAt(length)) length++;
  if (length === before.length && length === after.length) return length;
  while (length > 0 && !isSpace(before, length - 1)) length--;
  return length;
}

/** Returns the length of the end that both texts share, from the start of a word on, without their first `start` characters. */
function commonEnd(before: string, after: string, start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < most && before.at(-1 - length) === after.at(-1 - length)) length++;
  while (length > 0 && !isSpace(before, before.length - length)) length--;
  return length;
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at));

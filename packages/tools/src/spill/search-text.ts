import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@mcp-fittings/client-core';
import type { PatternMatcher } from './pattern-matcher.js';
import type { RecordReader } from './result-record.js';

/** A place of a text where a pattern matches. */
export interface TextMatch {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Where the excerpt begins, in UTF-16 units from the beginning of the text. */
  readonly offset: number;
  /** The line, or a part of a long one. */
  readonly excerpt: string;
}

/** What a search has found. */
export interface TextSearch {
  readonly matches: readonly TextMatch[];
  /** Where to continue; undefined if the rest has been searched. */
  readonly next: number | undefined;
  /** Whether the search ended early because it took too long. */
  readonly timedOut: boolean;
}

/** Options of {@link searchText}. */
export interface TextSearchOptions {
  /** Where to begin: the beginning of a line, or `next` of an earlier search. */
  readonly from: number;
  readonly maxMatches: number;
  readonly budgetMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Characters that are shown before and after the end of a match. */
const AROUND = 160;
const LINE_FEED = 0x0a;

/** Finds a pattern in a text: once in a line, in a long line once in 160 characters. */
export async function searchText(
  record: RecordReader,
  matcher: PatternMatcher,
  { from, maxMatches, budgetMs, clock, signal }: TextSearchOptions,
): Promise<TextSearch> {
  const deadline = clock.now() + budgetMs;
  const found: { readonly line: number; readonly start: number; readonly end: number }[] = [];
  let line = await record.lineAt(from);
  let lineStart = from === 0 || (await record.text(from - 1, from)) === '\n' ? from : undefined;
  let state = lineStart === undefined ? matcher.within : matcher.lineStart;
  /** After a match, the end of the line or of its excerpt. */
  let resume = from;
  let next: number | undefined;
  let timedOut = false;
  const { characters } = record.index;
  const match = (end: number): void => {
    found.push({ line, start: Math.max(lineStart ?? from, end - AROUND), end });
    resume = end + AROUND;
    state = matcher.within;
  };

  search: for await (const { text, start } of record.pieces(from)) {
    signal.throwIfAborted();
    if (start > from && clock.now() >= deadline) {
      next = start;
      timedOut = true;
      break;
    }
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      const at = start + index;
      if (code === LINE_FEED) {
        if (at >= resume && matcher.endsLine(state)) match(at);
        line++;
        lineStart = at + 1;
        resume = lineStart;
        state = matcher.lineStart;
      } else if (at >= resume) {
        state = matcher.step(state, code);
        if (matcher.endsHere(state)) match(at + 1);
      }
      if (found.length >= maxMatches) {
        next = Math.min(Math.max(resume, at + 1), characters);
        break search;
      }
    }
    await setImmediate();
  }
  // The last line has no line feed.
  if (next === undefined && resume <= characters && matcher.endsLine(state)) match(characters);
  const matches: TextMatch[] = [];
  for (const { line: number, start, end } of found) {
    const around = await record.text(start, Math.min(end + AROUND, characters));
    const feed = around.indexOf('\n', end - start);
    matches.push({ line: number, offset: start, excerpt: feed === -1 ? around : around.slice(0, feed) });
  }
  return { matches, next: next === characters ? undefined : next, timedOut };
}

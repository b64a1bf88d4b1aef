import { setImmediate } from 'node:timers/promises';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { LinearPattern } from '../patterns/linear-pattern.js';
import { BETWEEN_MATCHES, LineSearch } from './line-search.js';
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

/**
 * Compiles what a model searches for.
 * @throws {FittingsError} `ARGUMENTS_INVALID` if the syntax is not supported, or the pattern matches empty text.
 */
export function compileSearch(pattern: string, ignoreCase: boolean): LinearPattern {
  const compiled = LinearPattern.compile(pattern, ignoreCase);
  if (typeof compiled === 'string') throw invalidPattern(compiled);
  if (compiled.test('')) throw invalidPattern('it matches empty text');
  return compiled;
}

function invalidPattern(problem: string): FittingsError {
  return new FittingsError('ARGUMENTS_INVALID', `The pattern cannot be searched: ${problem}.`, {
    delivery: 'not-sent',
    hint: 'Use a simpler regular expression, and escape special characters in plain text with a backslash.',
  });
}

/** Finds a pattern in a text: once in a line, in a long line once in 160 characters. */
export async function searchText(
  record: RecordReader,
  pattern: LinearPattern,
  { from, maxMatches, budgetMs, clock, signal }: TextSearchOptions,
): Promise<TextSearch> {
  const deadline = clock.now() + budgetMs;
  const { characters } = record.index;
  let timedOut = false;
  const search = new LineSearch(pattern, {
    from,
    before: from === 0 ? '\n' : await record.text(from - 1, from),
    line: await record.lineAt(from),
    maxMatches,
    isLate: () => (timedOut = clock.now() >= deadline),
  });
  for await (const { text, start } of record.pieces(from)) {
    signal.throwIfAborted();
    if (start > from && clock.now() >= deadline) {
      timedOut = true;
      break;
    }
    if (search.read(text, start + text.length >= characters)) break;
    await setImmediate();
  }
  const matches: TextMatch[] = [];
  for (const { line, lineStart, at } of search.found) {
    const start = Math.max(lineStart, at - BETWEEN_MATCHES);
    const around = await record.text(start, Math.min(at + BETWEEN_MATCHES, characters));
    const feed = around.indexOf('\n', at - start);
    matches.push({ line, offset: start, excerpt: feed === -1 ? around : around.slice(0, feed) });
  }
  const next = search.next >= characters ? undefined : search.next;
  return { matches, next, timedOut: timedOut && next !== undefined };
}

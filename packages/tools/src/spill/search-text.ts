import { setImmediate } from 'node:timers/promises';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { LinearPattern } from '../schema/linear-pattern.js';

/** Result of {@link searchText}. */
export interface TextSearch {
  readonly matches: readonly {
    /** Number of the line, from 1. */
    readonly line: number;
    /** Beginning of the excerpt, in UTF-16 units from the beginning of the text. */
    readonly offset: number;
    /** The line, or a part of a long one. */
    readonly excerpt: string;
  }[];
  /** Place to continue from; undefined if the rest has been searched. */
  readonly next: number | undefined;
  /** True if the search ended early because it took too long. */
  readonly timedOut: boolean;
}

/** Options of {@link searchText}. */
export interface TextSearchOptions {
  /** Place to begin: the beginning of a line, or `next` of an earlier search. */
  readonly from: number;
  readonly maxMatches: number;
  readonly budgetMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Characters between the beginnings of two matches in one line. */
const BETWEEN_MATCHES = 160;
/** A longer line is searched in parts of this size. */
const MAX_PART = 32_768;
/** A part of a long line takes at most so many steps. */
const MAX_STEPS = 20_000_000;
/** Characters after which other work has its turn. */
const TURN = 65_536;

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

/** Finds a pattern in a text, line by line, in a long line once in 160 characters. */
export async function searchText(
  text: string,
  pattern: LinearPattern,
  { from, maxMatches, budgetMs, clock, signal }: TextSearchOptions,
): Promise<TextSearch> {
  const deadline = clock.now() + budgetMs;
  const matches: TextSearch['matches'][number][] = [];
  const maxPart = Math.min(MAX_PART, Math.floor(MAX_STEPS / pattern.steps));
  // A match of more characters may be missed where a long line is cut.
  const overlap = Math.floor(maxPart / 4);
  let line = lineFeeds(text, 0, from) + 1;
  let lineStart = from;
  let lineEnd = -1;
  let at = from;
  let turn = from + TURN;
  let timedOut = false;
  while (at < text.length && !timedOut) {
    signal.throwIfAborted();
    if (lineEnd < at) lineEnd = endOfLine(text, at);
    const isWhole = lineEnd - at <= maxPart;
    // The character before tells that the line does not begin here.
    const start = at === 0 || text.charCodeAt(at - 1) === LINE_FEED ? at : at - 1;
    const part = text.slice(start, isWhole ? lineEnd : at + maxPart);
    const last = isWhole ? lineEnd : at + maxPart - overlap;
    const find = (): number | undefined => (at < last ? pattern.find(part, at - start) : undefined);
    // Most lines do not match, which is faster to find out.
    let found = pattern.test(part) ? find() : undefined;
    while (found !== undefined && start + found < last) {
      matches.push({ line, ...excerptAt(text, start + found, lineStart) });
      at = start + found + BETWEEN_MATCHES;
      timedOut = clock.now() >= deadline;
      if (timedOut || matches.length >= maxMatches) break;
      found = find();
    }
    if (timedOut || matches.length >= maxMatches) {
      if (isWhole) at = Math.min(at, lineEnd + 1);
      break;
    }
    at = isWhole ? lineEnd + 1 : Math.max(at, last);
    if (isWhole) {
      line++;
      lineStart = at;
    }
    if (at < turn) continue;
    turn = at + TURN;
    await setImmediate();
    timedOut = clock.now() >= deadline;
  }
  const next = at >= text.length ? undefined : at;
  return { matches, next, timedOut: timedOut && next !== undefined };
}

/** Returns the line around a match, or a part of a long one. */
function excerptAt(text: string, at: number, lineStart: number): { offset: number; excerpt: string } {
  const offset = Math.max(lineStart, at - BETWEEN_MATCHES);
  const around = text.slice(offset, at + BETWEEN_MATCHES);
  const feed = around.indexOf('\n', at - offset);
  return { offset, excerpt: feed === -1 ? around : around.slice(0, feed) };
}

const LINE_FEED = 10;

function endOfLine(text: string, at: number): number {
  const feed = text.indexOf('\n', at);
  return feed === -1 ? text.length : feed;
}

/** Counts the line feeds between two places. The line of a character has one more than those before it. */
export function lineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

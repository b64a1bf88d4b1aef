import type { Clock } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { byteLength, checkMedia, readableSize } from '../results/media.js';
import type { RenderedPart } from '../results/rendering.js';
import type { ImageScaler } from './bounded-image.js';
import { endOfPage, isPair } from './cut-text.js';
import { invalid, type ReadArguments } from './read-arguments.js';
import type { StoredResult } from './result-record.js';
import { compileSearch, lineFeeds, searchText, type TextSearch } from './search-text.js';
import { boundMedia } from './whole-result.js';

/** Options of {@link readResult}. */
export interface ReadOptions {
  readonly pageCharacters: number;
  readonly maxMediaBytes: number;
  readonly scaler: ImageScaler | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Characters beyond a page that tell where a grapheme ends. */
const MARGIN = 64;
const SEARCH_BUDGET_MS = 2_000;
const MAX_MATCHES = 50;
/** Characters of a match with its line number. */
const MATCH_LENGTH = 400;

/** Reads what a model asks for: parts for the model, the last of which says where it is and how to continue. */
export async function readResult(
  stored: StoredResult,
  args: ReadArguments,
  options: ReadOptions,
): Promise<readonly RenderedPart[]> {
  const { text, items } = stored;
  if (args.item !== undefined) return readItem(items, args.item, args.reference, options);
  const start = startOf(text, args);
  const length = Math.min(args.length ?? options.pageCharacters, options.pageCharacters);
  if (args.pattern === undefined) return readPage(text, start, length, args.reference);
  const search = await searchText(text, compileSearch(args.pattern, args.ignoreCase === true), {
    from: start,
    maxMatches: Math.max(1, Math.min(MAX_MATCHES, Math.floor(length / MATCH_LENGTH))),
    budgetMs: SEARCH_BUDGET_MS,
    clock: options.clock,
    signal: options.signal,
  });
  return [{ type: 'text', text: describeSearch(text.length, search, start, args) }];
}

function startOf(text: string, { line, offset = 0 }: ReadArguments): number {
  const { length } = text;
  if (line !== undefined) return startOfLine(text, line);
  if (offset > length) throw invalid(`the text has ${length} characters, and offset is ${offset}`);
  const start = offset < 0 ? Math.max(0, length + offset) : offset;
  return isPair(text, start) ? start - 1 : start;
}

function startOfLine(text: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const feed = text.indexOf('\n', start);
    if (feed === -1) throw invalid(`the text has ${number} lines, and line ${line} does not exist`);
    start = feed + 1;
  }
  return start;
}

/** Returns a page of the text. The pages that follow each other are the whole text. */
function readPage(whole: string, start: number, length: number, reference: string): readonly RenderedPart[] {
  const page = pageOf(whole, start, length);
  const end = start + page.length;
  const next = end < whole.length ? `Continue with ${call({ reference, offset: end })}` : 'This is the end';
  const first = lineFeeds(whole, 0, start) + 1;
  const last = first + lineFeeds(whole, start, end);
  const lines = last + lineFeeds(whole, end, whole.length);
  const note = `[Characters ${start} to ${end} of ${whole.length}, lines ${first} to ${last} of ${lines}. ${next}.]`;
  // A store may be written by others, and some model APIs reject text that is only white space.
  const text = sanitizeText(page, { maxLength: page.length, multiline: true });
  return [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), { type: 'text', text: note }];
}

/** Returns at most `length` characters, up to a good place to cut. */
export function pageOf(text: string, start: number, length: number): string {
  const around = text.slice(start, start + length + MARGIN);
  return around.slice(0, endOfPage(around, length));
}

function describeSearch(
  characters: number,
  { matches, next, timedOut }: TextSearch,
  start: number,
  { reference, pattern }: ReadArguments,
): string {
  const found = matches.map(({ line, offset, excerpt }) => `line ${line}, offset ${offset}: ${excerpt}`);
  const count = matches.length === 1 ? '1 match' : `${matches.length} matches`;
  const searched = `Searched characters ${start} to ${next ?? characters} of ${characters}: ${count}.`;
  const more =
    next === undefined
      ? ''
      : ` ${timedOut ? 'The time for a search is up. ' : ''}Continue with ${call({ reference, offset: next, pattern })}.`;
  const text = [...found, `[${searched}${more}]`].join('\n');
  return sanitizeText(text, { maxLength: text.length, multiline: true });
}

async function readItem(
  items: StoredResult['items'],
  number: number,
  reference: string,
  { maxMediaBytes, scaler }: ReadOptions,
): Promise<readonly RenderedPart[]> {
  const item = items[number - 1];
  if (item === undefined)
    throw invalid(`the result has ${items.length} items, and item ${number} does not exist`);
  const check = checkMedia(item.data, item.mimeType, Infinity);
  const facts = `Item ${number} of ${items.length} of ${reference}: ${item.mimeType}, ${readableSize(byteLength(item.data))}`;
  const shown =
    check.problem === undefined
      ? await boundMedia(check.part, maxMediaBytes, scaler)
      : { problem: check.problem };
  if (shown.problem !== undefined) return [{ type: 'text', text: `[${facts}, not shown: ${shown.problem}]` }];
  const { part, scaled } = shown;
  if (scaled === undefined) return [part, { type: 'text', text: `[${facts}]` }];
  const { from, to } = scaled;
  const note = `scaled from ${from.width} × ${from.height} to ${to.width} × ${to.height} pixels`;
  return [part, { type: 'text', text: `[${facts}, ${note}]` }];
}

const call = (args: Readonly<Record<string, unknown>>): string => JSON.stringify(args);

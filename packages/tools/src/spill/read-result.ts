import type { Clock } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { checkMedia, readableSize } from '../results/media.js';
import type { RenderedPart } from '../results/rendering.js';
import type { ImageScaler } from './bounded-image.js';
import { endOfPage, isPair } from './cut-text.js';
import { invalid, type ReadArguments } from './read-arguments.js';
import type { RecordReader } from './result-record.js';
import { compileSearch, searchText, type TextSearch } from './search-text.js';
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
  record: RecordReader,
  args: ReadArguments,
  options: ReadOptions,
): Promise<readonly RenderedPart[]> {
  if (args.item !== undefined) return readItem(record, args.item, args.reference, options);
  const start = await startOf(record, args);
  const length = Math.min(args.length ?? options.pageCharacters, options.pageCharacters);
  if (args.pattern === undefined) return readPage(record, start, length, args.reference);
  const search = await searchText(record, compileSearch(args.pattern, args.ignoreCase === true), {
    from: start,
    maxMatches: Math.max(1, Math.min(MAX_MATCHES, Math.floor(length / MATCH_LENGTH))),
    budgetMs: SEARCH_BUDGET_MS,
    clock: options.clock,
    signal: options.signal,
  });
  return [{ type: 'text', text: describeSearch(record, search, start, args) }];
}

async function startOf(record: RecordReader, { line, offset = 0 }: ReadArguments): Promise<number> {
  const { characters, lines } = record.index;
  if (line !== undefined) {
    if (line > lines) throw invalid(`the text has ${lines} lines, and line ${line} does not exist`);
    return record.lineStart(line);
  }
  if (offset > characters) throw invalid(`the text has ${characters} characters, and offset is ${offset}`);
  const start = offset < 0 ? Math.max(0, characters + offset) : offset;
  return isPair(await record.text(Math.max(0, start - 1), start + 1), Math.min(1, start)) ? start - 1 : start;
}

/** Returns a page of the text. The pages that follow each other are the whole text. */
async function readPage(
  record: RecordReader,
  start: number,
  length: number,
  reference: string,
): Promise<readonly RenderedPart[]> {
  const { characters, lines } = record.index;
  const page = await pageOf(record, start, length);
  const end = start + page.length;
  const [first, last] = [await record.lineAt(start), await record.lineAt(end)];
  const next = end < characters ? `Continue with ${call({ reference, offset: end })}` : 'This is the end';
  const note = `[Characters ${start} to ${end} of ${characters}, lines ${first} to ${last} of ${lines}. ${next}.]`;
  // A store may be written by others, and some model APIs reject text that is only white space.
  const text = sanitizeText(page, { maxLength: page.length, multiline: true });
  return [...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]), { type: 'text', text: note }];
}

/** Resolves with at most `length` characters, up to a good place to cut. */
export async function pageOf(record: RecordReader, start: number, length: number): Promise<string> {
  const text = await record.text(start, Math.min(start + length + MARGIN, record.index.characters));
  return text.slice(0, endOfPage(text, length));
}

function describeSearch(
  record: RecordReader,
  { matches, next, timedOut }: TextSearch,
  start: number,
  { reference, pattern }: ReadArguments,
): string {
  const { characters } = record.index;
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
  record: RecordReader,
  number: number,
  reference: string,
  { maxMediaBytes, scaler }: ReadOptions,
): Promise<readonly RenderedPart[]> {
  const { items } = record.index;
  const item = items[number - 1];
  if (item === undefined)
    throw invalid(`the result has ${items.length} items, and item ${number} does not exist`);
  const data = await record.item(number - 1);
  const check = checkMedia(
    Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64'),
    item.mimeType,
    Infinity,
  );
  const facts = `Item ${number} of ${items.length} of ${reference}: ${item.mimeType}, ${readableSize(data.length)}`;
  const shown =
    check.problem === undefined
      ? await boundMedia(check.part, data, maxMediaBytes, scaler)
      : { problem: check.problem };
  if (shown.problem !== undefined) return [{ type: 'text', text: `[${facts}, not shown: ${shown.problem}]` }];
  const { part, scaled } = shown;
  if (scaled === undefined) return [part, { type: 'text', text: `[${facts}]` }];
  const { from, to } = scaled;
  const note = `scaled from ${from.width} × ${from.height} to ${to.width} × ${to.height} pixels`;
  return [part, { type: 'text', text: `[${facts}, ${note}]` }];
}

const call = (args: Readonly<Record<string, unknown>>): string => JSON.stringify(args);

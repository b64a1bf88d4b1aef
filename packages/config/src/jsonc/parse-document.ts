import { parseTree, type ParseError, createScanner } from 'jsonc-parser';
import { problem, type ConfigProblem } from '../problems.js';
import type { Node } from './json-value.js';

/** A parsed text in JSON with comments and trailing commas, with the position of every value. */
export interface JsonDocument {
  readonly file: string;
  readonly text: string;
  /** Undefined if the text is empty or contains only comments. */
  readonly root: Node | undefined;
  readonly position: (offset: number) => Position;
}

/** The parser recurses once per level, so deeper nesting could overflow the stack. */
const MAX_DEPTH = 64;

/** Parses a text. A text with any syntax error is rejected as a whole, with the location of the first one. */
export function parseDocument(
  written: string,
  file: string,
): { readonly document: JsonDocument } | { readonly problem: ConfigProblem } {
  // A byte order mark (RFC 8259, section 8.1) counts as a space, so that no position changes.
  const text = written.replace(/^\uFEFF/, ' ');
  const position = createPositions(text);
  const refuse = (
    code: 'JSON_SYNTAX' | 'JSON_TOO_DEEP',
    message: string,
    offset: number,
    hint?: string,
  ): { problem: ConfigProblem } => ({
    problem: problem(code, message, { location: { file, ...position(offset) }, hint }),
  });

  const tooDeep = findTooDeep(text);
  if (tooDeep !== undefined) {
    return refuse('JSON_TOO_DEEP', `Values are nested deeper than ${String(MAX_DEPTH)} levels.`, tooDeep);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const message = SYNTAX_ERRORS[first.error] ?? 'Invalid JSON.';
    return refuse('JSON_SYNTAX', message, first.offset, / escape/.test(message) ? PATH_HINT : undefined);
  }
  return { document: { file, text, root, position } };
}

/** A path of Windows is what most often has backslashes. */
export const PATH_HINT = String.raw`Write each backslash twice, as in "C:\\tools", or write "/".`;

/** Offset of the bracket that exceeds the depth, found without recursion. */
function findTooDeep(text: string): number | undefined {
  let depth = 0;
  for (const { kind, offset } of scanTokens(text)) {
    if (kind === 'open' && ++depth > MAX_DEPTH) return offset;
    if (kind === 'close') depth--;
  }
  return undefined;
}

const SYNTAX_ERRORS: Readonly<Record<number, string>> = {
  1: 'Unexpected symbol.',
  2: 'Invalid number.',
  3: 'Expected a property name in double quotes.',
  4: 'Expected a value.',
  5: 'Expected a colon.',
  6: 'Expected a comma.',
  7: 'Expected a closing brace.',
  8: 'Expected a closing bracket.',
  9: 'Unexpected text after the end of the document.',
  10: 'Invalid comment.',
  11: 'Unterminated comment.',
  12: 'Unterminated string.',
  13: 'Unterminated number.',
  14: 'Invalid \\u escape: four hexadecimal digits are required.',
  15: 'Invalid escape sequence in a string.',
  16: 'Unescaped control character in a string.',
};

/** A position in a text. Both count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns a function from offset to position. Scans the text once, then uses a binary search. */
export function createPositions(text: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

/** A token and its position. Strings, numbers and whitespace are `other`. */
export interface Token {
  readonly kind: 'open' | 'close' | 'comma' | 'comment' | 'other';
  readonly offset: number;
  readonly length: number;
}

// The scanner's names for these are const enums, which `isolatedModules` cannot import.
const KINDS: Readonly<Record<number, Token['kind']>> = {
  1: 'open', // {
  2: 'close', // }
  3: 'open', // [
  4: 'close', // ]
  5: 'comma',
  12: 'comment', // to the end of the line
  13: 'comment', // between /* and */
};
const END_OF_TEXT = 17;

/** Yields the tokens of a text from left to right, without recursion. */
export function* scanTokens(text: string): Generator<Token> {
  const scanner = createScanner(text, false);
  for (let kind: number = scanner.scan(); kind !== END_OF_TEXT; kind = scanner.scan()) {
    yield {
      kind: KINDS[kind] ?? 'other',
      offset: scanner.getTokenOffset(),
      length: scanner.getTokenLength(),
    };
  }
}

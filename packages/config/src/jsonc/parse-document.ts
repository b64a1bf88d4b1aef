import { parseTree, type Node, type ParseError, createScanner } from 'jsonc-parser';
import { problem, type ConfigProblem } from '../problems.js';

/** A text that is JSON with comments and trailing commas, and knows where everything stands. */
export interface JsonDocument {
  readonly file: string;
  readonly text: string;
  /** Undefined for a text without a value: empty, or nothing but comments. */
  readonly root: Node | undefined;
  readonly position: (offset: number) => Position;
}

/** No configuration nests deeper; the parser recurses once a level. */
const MAX_DEPTH = 64;

/** Parses the whole text or says what is wrong with it and where; a text with one mistake is not used at all. */
export function parseDocument(
  text: string,
  file: string,
): { readonly document: JsonDocument } | { readonly problem: ConfigProblem } {
  const position = createPositions(text);
  const refuse = (
    code: 'JSON_SYNTAX' | 'JSON_TOO_DEEP',
    message: string,
    offset: number,
  ): { problem: ConfigProblem } => ({
    problem: problem(code, message, { location: { file, ...position(offset) } }),
  });

  const tooDeep = findTooDeep(text);
  if (tooDeep !== undefined) {
    return refuse('JSON_TOO_DEEP', `Values are nested deeper than ${String(MAX_DEPTH)} levels.`, tooDeep);
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined)
    return refuse('JSON_SYNTAX', SYNTAX_ERRORS[first.error] ?? 'Not JSON.', first.offset);
  return { document: { file, text, root, position } };
}

/** Offset of the bracket that goes too deep, found without recursion. */
function findTooDeep(text: string): number | undefined {
  let depth = 0;
  for (const { kind, offset } of scanTokens(text)) {
    if (kind === 'open' && ++depth > MAX_DEPTH) return offset;
    if (kind === 'close') depth--;
  }
  return undefined;
}

const SYNTAX_ERRORS: Readonly<Record<number, string>> = {
  1: 'There is a symbol that JSON does not know.',
  2: 'A number is malformed.',
  3: 'A property name in double quotes is missing.',
  4: 'A value is missing.',
  5: 'A colon is missing.',
  6: 'A comma is missing.',
  7: 'A closing brace is missing.',
  8: 'A closing bracket is missing.',
  9: 'Something stands after the end of the document.',
  10: 'A comment is malformed.',
  11: 'A comment has no end.',
  12: 'A text has no closing quote on its line.',
  13: 'A number has no end.',
  14: 'A \\u escape needs four hexadecimal digits.',
  15: 'A text holds an escape that JSON does not know.',
  16: 'A text holds a raw control character.',
};

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Makes a function from offset to position: one pass over the text, then a binary search for each question. */
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

/** A token with its place. Strings, numbers and white space are `other`. */
export interface Token {
  readonly kind: 'open' | 'close' | 'comma' | 'comment' | 'other';
  readonly offset: number;
  readonly length: number;
}

// The scanner's own names for these are const enums, which a module compiled alone can't read.
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

/** The tokens of a text from left to right, without recursion. */
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

import { createScanner } from 'jsonc-parser';

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
export function* tokensOf(text: string): Generator<Token> {
  const scanner = createScanner(text, false);
  for (let kind: number = scanner.scan(); kind !== END_OF_TEXT; kind = scanner.scan()) {
    yield {
      kind: KINDS[kind] ?? 'other',
      offset: scanner.getTokenOffset(),
      length: scanner.getTokenLength(),
    };
  }
}

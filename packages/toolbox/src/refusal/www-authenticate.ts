import type { ParsedChallenge } from '@mcp-fittings/client-core';

/** A longer header is ignored. */
const MAX_LENGTH = 65_536;

/**
 * Returns the challenges of a `WWW-Authenticate` header, with schemes and parameter names in lower case. Several fields may be
 * joined by commas. Parsing stops at the first syntax error and returns the challenges before it; text in a quoted string is
 * never read as a parameter. A missing comma between two parameters is accepted, because its meaning is clear. The time is
 * linear in the length of the header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-11.6.1
 */
export function parseChallenges(header: string): readonly ParsedChallenge[] {
  const challenges: ParsedChallenge[] = [];
  if (header.length > MAX_LENGTH) return challenges;
  const text = new Cursor(header);
  for (;;) {
    text.take(' \t,');
    const scheme = text.take(TOKEN);
    if (scheme === '' || !(text.done || text.sees(' \t,'))) return challenges;
    const rest = readToken68(text) ?? readParams(text);
    if (rest === undefined) return challenges;
    challenges.push({ scheme: scheme.toLowerCase(), ...rest });
  }
}

type Rest = Pick<ParsedChallenge, 'params' | 'token68'>;

function readToken68(text: Cursor): Rest | undefined {
  const start = text.position;
  text.take(' \t');
  const token68 = text.take(TOKEN68) + text.take('=');
  text.take(' \t');
  if (token68 !== '' && !token68.startsWith('=') && (text.done || text.sees(','))) {
    return { params: new Map(), token68 };
  }
  text.position = start;
  return undefined;
}

/** Leaves the cursor at the next scheme; undefined at a syntax error. */
function readParams(text: Cursor): Rest | undefined {
  const params = new Map<string, string>();
  const seen = new Set<string>();
  let divided = false;
  for (;;) {
    divided = text.take(' \t,').includes(',') || divided;
    if (text.done) return { params };
    const start = text.position;
    const name = text.take(TOKEN).toLowerCase();
    text.take(' \t');
    if (name === '') return undefined;
    if (!text.sees('=')) {
      // A token without a value is the next scheme, which must follow a comma.
      text.position = start;
      return divided ? { params } : undefined;
    }
    text.position++;
    text.take(' \t');
    const value = text.sees('"') ? text.takeQuoted() : text.take(TOKEN) || undefined;
    if (value === undefined || !(text.done || text.sees(' \t,'))) return undefined;
    if (seen.has(name)) params.delete(name);
    else params.set(name, value);
    seen.add(name);
    divided = false;
  }
}

const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const TOKEN = `${ALPHANUMERIC}!#$%&'*+-.^_\`|~`;
const TOKEN68 = `${ALPHANUMERIC}-._~+/`;

/** Reads a text once, from start to end. */
class Cursor {
  position = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.position >= this.#text.length;
  }

  /** Returns whether the next character is one of these. */
  sees(characters: string): boolean {
    const next = this.#text[this.position];
    return next !== undefined && characters.includes(next);
  }

  /** Takes as many of these characters as follow. */
  take(characters: string): string {
    const start = this.position;
    while (this.sees(characters)) this.position++;
    return this.#text.slice(start, this.position);
  }

  /** Takes a quoted string and returns it without quotes and escapes; undefined if it does not end. */
  takeQuoted(): string | undefined {
    let value = '';
    for (let index = this.position + 1; index < this.#text.length; index++) {
      const character = this.#text[index];
      if (character === '"') {
        this.position = index + 1;
        return value;
      }
      value += character === '\\' ? (this.#text[++index] ?? '') : character;
    }
    return undefined;
  }
}

import type { ParsedChallenge } from '@mcp-fittings/client-core';

/** Status and headers of an HTTP reply. */
export interface ReplyHead {
  /** HTTP status code. */
  readonly status: number;
  /** Returns the value of a header by its lower-case name; several fields of one name are joined by a comma. */
  header(name: string): string | undefined;
  /** URL that the reply came from, after redirects, with the scheme `http:` or `https:`. */
  readonly url: URL;
}

/** A refusal that other credentials may overcome. The header is parsed once, here. */
export interface Challenge {
  /**
   * `credentials`: they are missing or invalid. `nonce`: the server wants its nonce in the DPoP proof (RFC 9449).
   * `scope`: they are valid but have too few scopes.
   */
  readonly kind: 'credentials' | 'nonce' | 'scope';
  /** Status for the provider: 403 if scopes are missing, 401 for the other kinds. The status of a reply can differ. */
  readonly status: 401 | 403;
  /** `WWW-Authenticate` as received; `undefined` if the reply has no such header. */
  readonly wwwAuthenticate: string | undefined;
  /** The same header, parsed; empty if it is missing or malformed. */
  readonly challenges: readonly ParsedChallenge[];
  /** Value of `DPoP-Nonce`, which the next DPoP proof has to contain. */
  readonly dpopNonce: string | undefined;
}

/**
 * Returns what a reply asks of the provider of credentials: for every 401, for a 403 with `error="insufficient_scope"`, and for
 * a 403 with a `Bearer` or `DPoP` challenge to a request without credentials. Returns `undefined` for any other reply.
 *
 * @param request Whether the request had no credentials. Default: it had some.
 * @see https://www.rfc-editor.org/rfc/rfc6750.html#section-3.1
 */
export function readChallenge(
  head: ReplyHead,
  { unsigned = false }: { readonly unsigned?: boolean } = {},
): Challenge | undefined {
  const { status } = head;
  if (status !== 401 && status !== 403) return undefined;
  const wwwAuthenticate = head.header('www-authenticate');
  const challenges = wwwAuthenticate === undefined ? [] : parseChallenges(wwwAuthenticate);
  const kind = kindOf(status, challenges, unsigned);
  if (kind === undefined) return undefined;
  const dpopNonce = head.header('dpop-nonce');
  return { kind, status: kind === 'scope' ? 403 : 401, wwwAuthenticate, challenges, dpopNonce };
}

function kindOf(
  status: 401 | 403,
  challenges: readonly ParsedChallenge[],
  unsigned: boolean,
): Challenge['kind'] | undefined {
  if (status === 401) return hasChallengeError(challenges, 'use_dpop_nonce') ? 'nonce' : 'credentials';
  // RFC 6750 says 401; some servers answer the first request with 403.
  if (unsigned && challenges.some(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')) {
    return 'credentials';
  }
  return hasChallengeError(challenges, 'insufficient_scope') ? 'scope' : undefined;
}

function hasChallengeError(challenges: readonly ParsedChallenge[], error: string): boolean {
  return challenges.some(({ params }) => params.get('error') === error);
}

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

const TOKEN = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const TOKEN68 = '-._~+/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

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

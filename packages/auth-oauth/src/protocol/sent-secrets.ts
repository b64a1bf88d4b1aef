import { createRedactor, sanitizeText } from '@mcp-fittings/toolbox/text';

/** Form fields without a secret; all others that are sent to an endpoint count as secrets. */
const PUBLIC_FIELDS = new Set([
  'acr_values',
  'audience',
  'client_assertion_type',
  'client_id',
  'code_challenge_method',
  'grant_type',
  'prompt',
  'redirect_uri',
  'requested_token_type',
  'resource',
  'response_type',
  'scope',
  'subject_token_type',
  'token_type_hint',
]);

/** Keeps the secrets that were sent to a server, which may repeat them in texts that end up in an error or a log. */
export class SentSecrets {
  readonly #values = new Set<string>();

  /** Adds the secrets of a request that is about to be sent. */
  add({
    headers,
    body,
  }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  }): void {
    const form =
      body instanceof URLSearchParams ? body : new URLSearchParams(typeof body === 'string' ? body : '');
    for (const [name, value] of form) if (!PUBLIC_FIELDS.has(name)) this.#values.add(value);
    for (const value of Object.values(headersOf(headers, ['authorization', 'dpop']))) {
      const [scheme = '', credentials = ''] = value.split(' ');
      this.#values.add(credentials === '' ? value : credentials);
      if (scheme.toLowerCase() === 'basic') this.addValues(partsOfBasic(credentials));
    }
  }

  addValues(values: Iterable<string>): void {
    for (const value of values) this.#values.add(value);
  }

  /** Returns a text of the server without control characters, shortened, and without the secrets. */
  clean(text: string, maxLength: number): string {
    const redact = createRedactor(this.#values);
    const bounded = text.slice(0, MAX_TEXT);
    const first = bounded.length < text.length ? redact(bounded, 'end') : redact(bounded);
    // Twice: a character that is removed may have split a secret.
    const cleaned = redact(sanitizeText(first, { maxLength: MAX_TEXT }));
    if (isDisguised(cleaned, this.#values)) return '[redacted]';
    // Shortened last: the start of a secret is secret as well.
    return sanitizeText(cleaned, { maxLength });
  }
}

function headersOf(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name.toLowerCase())));
}

/** Returns the secret of HTTP Basic, as sent and form-decoded. */
function partsOfBasic(credentials: string): readonly string[] {
  const [, ...rest] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  const secret = rest.join(':');
  return [secret, new URLSearchParams(`s=${secret}`).get('s') ?? ''];
}

/** Longer texts are cut before they are searched. */
const MAX_TEXT = 4_000;
/** Shorter values occur by chance. */
const SHORTEST = 6;

/**
 * Returns whether the text contains a secret, or a long part of one, in a form that cannot be redacted in place: hexadecimal,
 * escaped, reversed, spaced.
 */
function isDisguised(text: string, values: ReadonlySet<string>): boolean {
  const spellings = [text, ...decodings(text)].map(plain);
  return [...values].map(plain).some((value) => {
    const length = Math.min(value.length, LONGEST_PART);
    if (length < SHORTEST) return false;
    const found = new Set(spellings.flatMap((each) => partsOf(each, length)));
    return [value, Array.from(value).toReversed().join('')].some((each) =>
      partsOf(each, length).some((part) => found.has(part)),
    );
  });
}

/** A part of a secret of this length does not occur by chance. */
const LONGEST_PART = 16;

function partsOf(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) =>
    text.slice(at, at + length),
  );
}

function decodings(text: string): readonly string[] {
  const once = decodeEscapes(text);
  const runs = text.match(/[\w+/=-]{8,}/g)?.slice(0, 200) ?? [];
  return [
    once,
    decodeEscapes(once),
    ...runs.map((run) => Buffer.from(run, 'base64').toString('utf8')),
    ...[text, ...runs].map((run) => Buffer.from(run.replace(/[^0-9a-f]/gi, ''), 'hex').toString('utf8')),
  ];
}

/** Decodes percent, JSON, HTML and similar escapes of single characters. */
function decodeEscapes(text: string): string {
  return text.replace(
    /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{1,6})\}?|&#x([0-9a-f]{1,6});|&#(\d{1,7});/gi,
    (escape, ...found: readonly (string | undefined)[]) => {
      const [percent, x, u, html, decimal] = found;
      const hex = percent ?? x ?? u ?? html;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : escape;
    },
  );
}

/** Keeps letters and digits only, so that separators hide nothing. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

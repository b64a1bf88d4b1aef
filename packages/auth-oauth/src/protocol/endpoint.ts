import { type ErrorDetails, FittingsError } from '@mcp-fittings/client-core';
import { isRecord, parseJson } from '@mcp-fittings/toolbox/messages';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import { createRedactor, fromBase64, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { HttpClient } from '@mcp-fittings/http-client';
import { maxAgeOf, textOf } from './values.js';

/** The part of an `HttpClient` that sign-in uses: requests to URLs that servers named, within the policy of the network. */
export type Fetcher = Pick<HttpClient, 'fetch'>;

/**
 * Returns the fetch of a network in the form that oauth4webapi calls. The network decides by address whether http is
 * allowed, so the library's own check is off. Secrets in requests are added to `sentSecrets`.
 */
export function guardedFetch(
  network: Fetcher,
  sentSecrets?: SentSecrets,
): (url: string, options: GuardedRequest) => Promise<Response> {
  return (url, options) => {
    sentSecrets?.add(options);
    return network.fetch(url, {
      method: options.method,
      headers: options.headers,
      body: options.body ?? null,
      signal: options.signal ?? null,
      redirect: 'error',
    });
  };
}

/** A request as oauth4webapi makes it. */
export interface GuardedRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | URLSearchParams | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A request to an endpoint of an authorization server, as far as the errors of its answer name it. */
export interface EndpointRequest {
  /** Issuer of the authorization server. */
  readonly issuer: string;
  /** Name of the MCP server. */
  readonly server: string;
  /** Begins the message of an error: `Refreshing the token at https://as.example failed`. */
  readonly what: string;
  /** Secrets that were sent, which the answer may repeat. */
  readonly sentSecrets: SentSecrets;
}

/** Members that some servers send as digits in a string. */
const NUMBERS = ['expires_in', 'interval', 'client_secret_expires_at'];

/** Error codes that say nothing about the request. */
const TEMPORARY = ['temporarily_unavailable', 'server_error'];

/**
 * Reads the answer of a token, registration, device or pushed authorization endpoint. Resolves with the document without its
 * null and empty members, which count as absent. An answer with an `error` is a refusal, whatever its status is.
 *
 * Rejects with `AUTH_FAILED` if the server refuses or the answer is not a JSON object; `details` has the `status` and, if the
 * server sent one, the `oauthError`. Rejects with `SERVER_ERROR` or `RATE_LIMITED` for a temporary failure.
 * @see https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2
 */
export async function readAnswer(
  response: Response,
  request: EndpointRequest,
): Promise<Record<string, unknown>> {
  const { status } = response;
  const { issuer, server, what } = request;
  const temporary = temporaryCode(status);
  if (temporary !== undefined) {
    await response.body?.cancel();
    throw new FittingsError(temporary, `${what}: the server answered with status ${status}.`, {
      server,
      details: { status },
    });
  }
  const isJson = isJsonType(response);
  const document = isJson ? parseJson(await response.text()) : undefined;
  if (!isJson) await response.body?.cancel();
  if (status >= 400 || (isRecord(document) && isError(document['error']))) {
    throw refusal(response, isRecord(document) ? document : {}, request);
  }
  if (!isJson) {
    throw new FittingsError('AUTH_FAILED', `${issuer} sent a response that is not application/json.`, {
      server,
      hint: 'Ask its owner to serve the response with the content type application/json.',
      details: { status },
    });
  }
  if (isRecord(document)) return present(document);
  const found = document === undefined ? 'not JSON' : 'not a JSON object';
  throw new FittingsError('AUTH_FAILED', `${what}: the answer is ${found}.`, { server, details: { status } });
}

/** Returns the error code of a status that says nothing about the request or what was asked for; undefined for any other status. */
export function temporaryCode(status: number): 'RATE_LIMITED' | 'SERVER_ERROR' | undefined {
  if (status === 429) return 'RATE_LIMITED';
  return status === 408 || status >= 500 ? 'SERVER_ERROR' : undefined;
}

/** Returns a document in the form in which oauth4webapi accepts it. */
export function asResponse(document: Readonly<Record<string, unknown>>, status = 200): Response {
  return Response.json(document, { status });
}

/**
 * Returns whether a response is served as JSON: `application/json`, or a type that ends in `+json`. A document of another
 * type that parses as JSON may be an upload of a user, and not of the server itself.
 */
export function isJsonType(response: Response): boolean {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;

function present(document: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const members = Object.entries(document).filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      NUMBERS.includes(name) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ]),
  );
}

function isError(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || isRecord(value);
}

/** The texts of a server are untrusted: they are shortened, escaped, and cleared of the secrets that were sent. */
function refusal(
  { status, headers }: Response,
  document: Readonly<Record<string, unknown>>,
  { server, what, sentSecrets }: EndpointRequest,
): FittingsError {
  const { code, description } = errorIn(document);
  const error = sentSecrets.clean(code ?? challengeError(headers) ?? '', 80);
  const said = description === undefined ? '' : sentSecrets.clean(description, 200);
  const shown = error === '' ? `the server answered with status ${status} and no OAuth error` : error;
  return new FittingsError(
    TEMPORARY.includes(error) ? 'SERVER_ERROR' : 'AUTH_FAILED',
    `${what}: ${shown}${said === '' ? '' : ` (${said})`}.`,
    {
      server,
      details: {
        oauthError: error === '' ? undefined : error,
        status,
        ...(error === 'insufficient_user_authentication' && stepUpOf(document, sentSecrets)),
      },
    },
  );
}

/** Some servers send an object as the error, with the code and the description as its members. */
function errorIn(document: Readonly<Record<string, unknown>>): {
  readonly code: string | undefined;
  readonly description: string | undefined;
} {
  const { error } = document;
  const inner = isRecord(error) ? error : document;
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => textOf(inner, name)).find((value) => value !== undefined && value !== '');
  return {
    code: inner === document ? text('error') : text('code', 'type', 'status'),
    description: inner === document ? text('error_description') : text('message', 'error_description'),
  };
}

function challengeError(headers: Headers): string | undefined {
  const challenges = parseChallenges(headers.get('www-authenticate') ?? '');
  return challenges.flatMap(({ params }) => params.get('error') ?? [])[0];
}

/** Returns what the server requires of a new sign-in. @see https://www.rfc-editor.org/rfc/rfc9470.html#section-3 */
function stepUpOf(document: Readonly<Record<string, unknown>>, sentSecrets: SentSecrets): ErrorDetails {
  const acrValues = textOf(document, 'acr_values');
  return {
    acrValues: acrValues === undefined ? undefined : sentSecrets.clean(acrValues, 500),
    maxAge: maxAgeOf(document['max_age']),
  };
}

/** Form fields without a secret; all others that are sent to an endpoint count as secrets. */
const PUBLIC_FIELDS = new Set([
  'acr_values',
  'actor_token_type',
  'audience',
  'client_assertion_type',
  'client_id',
  'code_challenge_method',
  'grant_type',
  'login_hint',
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
  add({ headers, body }: Pick<GuardedRequest, 'headers' | 'body'>): void {
    // The library sends JSON to a registration endpoint only; there is no secret in it.
    const form = body instanceof URLSearchParams ? body : [];
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
  const [, ...rest] = decodeBase64(credentials).split(':');
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
  return [once, decodeEscapes(once), ...runs.map(decodeBase64), ...[text, ...runs].map(decodeHex)];
}

/** Decodes as much as possible of Base64 in either alphabet. */
function decodeBase64(text: string): string {
  const digits = text.replace(/=.*/s, '').replaceAll('-', '+').replaceAll('_', '/');
  // One digit at the end is less than a byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return new TextDecoder().decode(fromBase64(whole));
}

/** Decodes the hexadecimal digits of a text, whatever is between them. */
function decodeHex(text: string): string {
  const pairs = text.replace(/[^0-9a-f]/gi, '').match(/../g) ?? [];
  return new TextDecoder().decode(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
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

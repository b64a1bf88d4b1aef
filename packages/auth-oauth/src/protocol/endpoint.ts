import { type ErrorDetails, FittingsError } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';
import type { HttpClient } from '@mcp-fittings/http-client';
import type { SentSecrets } from './sent-secrets.js';
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
  /** What was sent, which the answer may repeat. */
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
  if (status === 408 || status === 429 || status >= 500) {
    await response.body?.cancel();
    throw new FittingsError(
      status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR',
      `${what}: the server answered with status ${status}.`,
      { server, details: { status } },
    );
  }
  const isJson = isJsonType(response);
  const document = isJson ? parse(await response.text()) : undefined;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

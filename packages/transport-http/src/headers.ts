import {
  isRecord,
  TransportError,
  type JSONRPCMessage,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { lastEventIdHeader } from '@mcp-fittings/http-client';

/** Servers refuse a request whose headers exceed 8 to 16 KiB in all, and say it in ways that explain nothing. */
const MAX_FIELD_LENGTH = 8192;

export interface MessageHeaders {
  readonly fields: Readonly<Record<string, string>>;
  /** The message belongs to a revision without sessions and resumption. */
  readonly stateless: boolean;
}

/** All headers of the POST of a message, except session and credentials. Throws `HEADER_INVALID` on one too long. */
export function messageHeaders(
  message: JSONRPCMessage,
  negotiated: string | undefined,
  options: TransportSendOptions,
): MessageHeaders {
  const revision = revisionOf(message) ?? negotiated;
  const stateless = isStateless(revision);
  const fields: Record<string, string> = {
    ...extraHeaders(options.headers),
    ...(stateless && routingHeaders(message)),
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  };
  if (revision !== undefined) fields['mcp-protocol-version'] = revision;
  for (const [name, value] of Object.entries(fields)) {
    if (value.length <= MAX_FIELD_LENGTH) continue;
    throw new TransportError(
      'HEADER_INVALID',
      `The header ${name} would be ${value.length} characters long.`,
      {
        delivery: 'not-sent',
        hint: `At most ${MAX_FIELD_LENGTH} characters are sent: use a shorter name or argument.`,
      },
    );
  }
  return { fields, stateless };
}

/** All headers of the GET of an event stream, except session and credentials. */
export function streamHeaders(
  revision: string | undefined,
  lastEventId: string | undefined,
): Record<string, string> {
  return {
    accept: 'text/event-stream',
    ...(revision !== undefined && { 'mcp-protocol-version': revision }),
    ...(lastEventId !== undefined && { 'last-event-id': lastEventIdHeader(lastEventId) }),
  };
}

/** Set by this transport or by the provider of credentials: neither a message nor a configuration may override them. */
export const OWNED_HEADERS: readonly string[] = [
  'accept',
  'content-type',
  'dpop',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
];

const IGNORED: ReadonlySet<string> = new Set([
  ...OWNED_HEADERS,
  'authorization',
  'cookie',
  'host',
  'content-length',
]);
const MIRRORED_ARGUMENT = 'mcp-param-';

/**
 * The headers of one `send`, without those that are not the caller's. An `Mcp-Param-*` value that HTTP can't carry is
 * encoded; any other value goes on as it is, and the network refuses it when it is malformed.
 */
function extraHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase();
    if (IGNORED.has(lower)) continue;
    extra[lower] =
      lower.startsWith(MIRRORED_ARGUMENT) && !isSafeFieldValue(value) ? toSentinel(value) : value;
  }
  return extra;
}

/** Which parameter a proxy may read in `Mcp-Name`, by method. Tasks are an extension. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * `Mcp-Method` and `Mcp-Name`: what of a message of revision 2026-07-28 is repeated in its headers.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
function routingHeaders(message: JSONRPCMessage): Record<string, string> {
  if (!('method' in message)) return {};
  const headers: Record<string, string> = { 'mcp-method': encodeFieldValue(message.method) };
  const parameter = Object.hasOwn(NAMED_BY, message.method) ? NAMED_BY[message.method] : undefined;
  const name = parameter === undefined ? undefined : message.params?.[parameter];
  if (typeof name === 'string') headers['mcp-name'] = encodeFieldValue(name);
  return headers;
}

const SENTINEL = /^=\?base64\?.*\?=$/s;
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * A value as the revision 2026-07-28 puts it into a header: as it is where that is safe, else as base64 of its UTF-8.
 * What looks like such base64 is encoded too, so that decoding gives back the value in any case.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function encodeFieldValue(value: string): string {
  return PLAIN.test(value) && value === value.trim() && !SENTINEL.test(value) ? value : toSentinel(value);
}

/** Whether HTTP would carry the value unchanged, so that nothing needs to be done to it. */
function isSafeFieldValue(value: string): boolean {
  return PLAIN.test(value) && value === value.trim();
}

function toSentinel(value: string): string {
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** From here on: no session, no GET, no resumption; every request says its own revision. */
const FIRST_STATELESS_REVISION = '2026-07-28';

/** The only revision in which several messages may come as one array. */
const REVISION_WITH_BATCHES = '2025-03-26';

/** The revision that a message says it is written in; undefined where the connection's own holds. */
function revisionOf(message: JSONRPCMessage): string | undefined {
  const meta = 'params' in message ? message.params?._meta : undefined;
  const version = isRecord(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Revisions are dates, so their order is that of the text. */
export function isStateless(revision: string | undefined): boolean {
  return revision !== undefined && revision >= FIRST_STATELESS_REVISION;
}

export function allowsBatches(revision: string | undefined): boolean {
  return revision === REVISION_WITH_BATCHES;
}

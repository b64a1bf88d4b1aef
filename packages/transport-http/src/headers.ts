import { type JSONRPCMessage, TransportError, type TransportSendOptions } from '@mcp-fittings/client-core';
import { isRecord, META, STATELESS_REVISION } from '@mcp-fittings/toolbox/messages';
import { toBase64 } from '@mcp-fittings/toolbox/text';
import { OWNED_HEADERS } from './options.js';

/** Servers refuse requests whose headers exceed 8 to 16 KiB in total, usually without a clear error. */
const MAX_FIELD_LENGTH = 8192;

export interface MessageHeaders {
  readonly fields: Readonly<Record<string, string>>;
  /** True if the message belongs to a revision without sessions and resumption. */
  readonly stateless: boolean;
}

/** Returns the headers of the POST of a message, except session and credentials. Throws `HEADER_INVALID` for one that is too long. */
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
      `The header ${name} of this message would have ${value.length} characters; the limit is ${MAX_FIELD_LENGTH}.`,
      {
        delivery: 'not-sent',
        hint: 'Use a shorter name or argument.',
      },
    );
  }
  return { fields, stateless };
}

/** Returns the headers of the GET of an event stream, except session and credentials. */
export function streamHeaders(
  revision: string | undefined,
  lastEventId: string | undefined,
): Record<string, string> {
  return {
    accept: 'text/event-stream',
    ...(revision !== undefined && { 'mcp-protocol-version': revision }),
    ...(lastEventId !== undefined && { 'last-event-id': asFieldValue(lastEventId) }),
  };
}

/** Returns an event id as the value of a header: each byte of its UTF-8 form is one character. */
function asFieldValue(id: string): string {
  return String.fromCharCode(...new TextEncoder().encode(id));
}

const NEVER_OVERRIDDEN: readonly string[] = ['authorization', 'cookie', 'host', 'content-length'];
const MIRRORED_ARGUMENT = 'mcp-param-';

/**
 * Returns the headers of one `send`, without those that a caller may not set. An `Mcp-Param-*` value that HTTP cannot carry is
 * encoded. Any other value is unchanged, and the HTTP client refuses a malformed one.
 */
function extraHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase();
    if (OWNED_HEADERS.includes(lower) || NEVER_OVERRIDDEN.includes(lower)) continue;
    extra[lower] =
      lower.startsWith(MIRRORED_ARGUMENT) && !isSafeFieldValue(value) ? toSentinel(value) : value;
  }
  return extra;
}

/** Says which parameter `Mcp-Name` repeats, by method. Tasks are an extension. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/**
 * Returns `Mcp-Method` and `Mcp-Name`, which repeat parts of a message of the revision 2026-07-28 for proxies.
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
 * Encodes a value for a header of the revision 2026-07-28: unchanged if that is safe, otherwise as base64 of its UTF-8 form. A value
 * that looks encoded is encoded too, so that decoding always restores the value.
 * @see https://modelcontextprotocol.io/seps/2243-http-standardization
 */
export function encodeFieldValue(value: string): string {
  return PLAIN.test(value) && value === value.trim() && !SENTINEL.test(value) ? value : toSentinel(value);
}

/** Returns whether HTTP carries the value unchanged. */
function isSafeFieldValue(value: string): boolean {
  return PLAIN.test(value) && value === value.trim();
}

function toSentinel(value: string): string {
  return `=?base64?${toBase64(new TextEncoder().encode(value))}?=`;
}

/** The only revision in which several messages may come as one array. */
const REVISION_WITH_BATCHES = '2025-03-26';

/** Returns the revision that a message names; undefined if that of the connection applies. */
export function revisionOf(message: JSONRPCMessage): string | undefined {
  const meta = 'params' in message ? message.params?._meta : undefined;
  const version = isRecord(meta) ? meta[META.protocolVersion] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** Returns whether the revision has no sessions. Revisions are dates, so they sort as text. */
export function isStateless(revision: string | undefined): boolean {
  return revision !== undefined && revision >= STATELESS_REVISION;
}

export function allowsBatches(revision: string | undefined): boolean {
  return revision === REVISION_WITH_BATCHES;
}

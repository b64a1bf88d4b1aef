import { isSafeFieldValue, toSentinel } from './field-value.js';

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
export function extraHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const lower = name.toLowerCase();
    if (IGNORED.has(lower)) continue;
    extra[lower] =
      lower.startsWith(MIRRORED_ARGUMENT) && !isSafeFieldValue(value) ? toSentinel(value) : value;
  }
  return extra;
}

import { FittingsError } from '@mcp-fittings/client-core';

/** Headers that frame the message or belong to the connection, so that the HTTP client sets them. In lower case. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
// oxlint-disable-next-line no-control-regex -- the bytes that RFC 9110 allows in a field value
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns what is wrong with the name or the value of a header, as the end of a sentence; undefined if both are valid.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5
 */
export function headerProblem(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return 'does not have a valid name';
  if (typeof value !== 'string') return 'has a value that is not a string';
  return VALUE.test(value)
    ? undefined
    : 'has a value with a line break or another character that HTTP does not allow';
}

/**
 * Returns configured headers with lower-case names. Throws `HEADER_INVALID` for a malformed name or value, for a header that the
 * HTTP client or the transport sets itself, and for two names that differ only in case. The error never contains a value.
 *
 * @param options `server`: name of the server, for the error. `reserved`: headers that the transport sets, in lower case;
 * `sec-*` stands for all that begin with `sec-`.
 */
export function checkHeaders(
  headers: Readonly<Record<string, string>>,
  options: { readonly server?: string | undefined; readonly reserved?: readonly string[] | undefined } = {},
): Record<string, string> {
  const checked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const problem = problemOf(lower, value, checked, options.reserved);
    if (problem !== undefined) {
      throw new FittingsError(
        'HEADER_INVALID',
        `The header ${JSON.stringify(name.slice(0, 100))} ${problem}.`,
        {
          server: options.server,
          hint: 'Correct the configured headers.',
        },
      );
    }
    checked.set(lower, value);
  }
  return Object.fromEntries(checked);
}

function problemOf(
  name: string,
  value: unknown,
  earlier: ReadonlyMap<string, string>,
  reserved: readonly string[] = [],
): string | undefined {
  if (CONNECTION_HEADERS.has(name)) return 'is set by the HTTP client and cannot be configured';
  if (reserved.some((pattern) => fits(name, pattern)))
    return 'is set by the transport and cannot be configured';
  return earlier.has(name) ? 'is configured twice' : headerProblem(name, value);
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

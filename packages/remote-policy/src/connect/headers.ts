import { FittingsError } from '@mcp-fittings/client-core/transport';

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
// oxlint-disable-next-line no-control-regex -- the bytes that RFC 9110 allows in a field value
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** They frame the message or belong to the connection: what sends the request writes them. */
const OWNED_BY_HTTP: ReadonlySet<string> = new Set([
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

/**
 * Checks headers that a person or a program configured, and gives them back with lower-case names.
 * Throws `HEADER_INVALID` on a malformed name or value, on one that HTTP itself owns, on one of `reserved`
 * (lower case; `sec-*` stands for all that begin so), and on two names that differ by case only. Values never appear
 * in the message.
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
  if (!TOKEN.test(name)) return 'has a name that HTTP does not allow';
  if (OWNED_BY_HTTP.has(name)) return 'is set by HTTP itself';
  if (reserved.some((pattern) => fits(name, pattern))) return 'is set by this transport';
  if (earlier.has(name)) return 'is given twice';
  if (typeof value !== 'string') return 'has a value that is not text';
  return VALUE.test(value)
    ? undefined
    : 'has a value with a line break or a character that HTTP does not allow';
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

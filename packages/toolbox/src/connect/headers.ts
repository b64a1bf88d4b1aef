import { FittingsError } from '@mcp-fittings/client-core';
import { CONNECTION_HEADERS, headerProblem } from './http-headers.js';

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

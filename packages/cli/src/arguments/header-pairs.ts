import { FittingsError } from '@mcp-fittings/client-core';

/** `--header` options of the form `Name: value`, as in HTTP. Throws `ARGUMENTS_INVALID`, without repeating the value. */
export function headerPairs(headers: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headers.map((header) => {
      const at = header.indexOf(':');
      if (at <= 0) {
        throw new FittingsError('ARGUMENTS_INVALID', 'A --header must have the form "Name: value".');
      }
      return [header.slice(0, at).trim(), header.slice(at + 1).trim()];
    }),
  );
}

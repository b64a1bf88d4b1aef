import { FittingsError } from '@mcp-fittings/client-core';

/** `name=value` options where all values are texts. Throws `ARGUMENTS_INVALID`. */
export function textPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) {
        throw new FittingsError('ARGUMENTS_INVALID', `"${pair}" is not in the form name=value.`, {
          delivery: 'not-sent',
        });
      }
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

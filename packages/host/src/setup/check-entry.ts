import { FittingsError, type StandardSchemaResult } from '@mcp-fittings/client-core';

/** The value that the schema made of the entry; throws `CONFIG_INVALID` that names every mistake. */
export function entryFrom<Entry>(server: string, result: StandardSchemaResult<Entry>, prefix = ''): Entry {
  if (result.issues === undefined) return result.value;
  const mistakes = result.issues.map(({ message, path = [] }) => {
    const place = prefix + path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return place === '' ? message : `"${place}" ${message}`;
  });
  throw new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" is not valid: ${mistakes.join('; ')}.`,
    {
      server,
    },
  );
}

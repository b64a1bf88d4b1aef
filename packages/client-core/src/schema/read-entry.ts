import { FittingsError } from '../errors/fittings-error.js';
import type { EntrySchema } from './entry-schema.js';

export interface ReadEntryOptions {
  /** Name of the server, for the message. */
  readonly server: string;
  /** Where in the entry the value stands: `oauth`. */
  readonly member?: string | undefined;
}

/** A part of a configuration entry, checked. Throws `CONFIG_INVALID` that names every wrong field, never a value. */
export function readEntry<Entry>(
  schema: EntrySchema<Entry>,
  value: unknown,
  { server, member }: ReadEntryOptions,
): Entry {
  const result = schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  const mistakes = result.issues.map(({ message, path = [] }) => {
    const field = [...(member === undefined ? [] : [member]), ...path.map(String)].join('.');
    return field === '' ? `it ${message}` : `"${field}" ${message}`;
  });
  throw new FittingsError(
    'CONFIG_INVALID',
    `The entry of the server "${server}" is not valid: ${mistakes.join('; ')}.`,
    { server },
  );
}

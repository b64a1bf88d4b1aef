import type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
} from '../contracts/standard-schema.js';
import { isRecord } from '../wire/messages.js';
import { FittingsError } from '../errors/fittings-error.js';
import type { Field } from './fields.js';

type Fields = Readonly<Record<string, Field<unknown>>>;
type ValueOf<F> = F extends Field<infer T> ? T : never;
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]['required'] extends true ? K : never }[keyof F];

/** The entry that these fields describe. */
export type EntryOf<F extends Fields> = { readonly [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> | undefined;
};

/** A Standard Schema that answers at once. */
export interface EntrySchema<Entry> {
  readonly '~standard': Omit<StandardSchemaProps<unknown, Entry>, 'validate'> & {
    readonly validate: (value: unknown) => StandardSchemaResult<Entry>;
  };
}

/**
 * A Standard Schema, with JSON Schema, of a configuration entry. The result holds the declared fields only: what
 * belongs to the host (`disabled`, `timeout`, …) is no mistake in an entry, and is not passed to the transport.
 */
export function entrySchema<const F extends Fields>(fields: F): EntrySchema<EntryOf<F>> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp-fittings',
      validate(value) {
        if (!isRecord(value)) {
          return { issues: [{ message: 'must be an object' }] };
        }
        const issues: StandardSchemaIssue[] = [];
        const entry: Record<string, unknown> = {};
        for (const [name, field] of Object.entries(fields)) {
          const member: unknown = Object.hasOwn(value, name) ? value[name] : undefined;
          if (member === undefined) {
            if (field.required) issues.push({ message: 'is missing', path: [name] });
            continue;
          }
          const problem = field.problem(member);
          if (problem === undefined) entry[name] = member;
          else issues.push({ message: problem, path: [name] });
        }
        if (issues.length > 0) return { issues };
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member was checked by the field that types it
        return { value: entry as EntryOf<F> };
      },
      jsonSchema: {
        input: () => ({
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(fields).map(([name, field]) => [name, field.jsonSchema]),
          ),
          required: Object.keys(fields).filter((name) => fields[name]?.required === true),
        }),
      },
    },
  };
}

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

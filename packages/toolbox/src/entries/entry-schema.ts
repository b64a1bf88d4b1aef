import {
  FittingsError,
  type StandardSchemaIssue,
  type StandardSchemaProps,
  type StandardSchemaResult,
} from '@mcp-fittings/client-core';
import { isRecord } from '../messages.js';
import type { Field } from './fields.js';

/** The type of the entries that these fields describe. */
export type EntryOf<F extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [K in keyof F as F[K]['required'] extends true ? K : never]: F[K] extends Field<infer T>
    ? T
    : never;
} & {
  readonly [K in keyof F as F[K]['required'] extends true ? never : K]?:
    (F[K] extends Field<infer T> ? T : never) | undefined;
};

/** A Standard Schema that validates synchronously, see {@link entrySchema}. */
export interface EntrySchema<Entry> {
  /** The validator. */
  readonly '~standard': Omit<StandardSchemaProps<unknown, Entry>, 'validate'> & {
    readonly validate: (value: unknown) => StandardSchemaResult<Entry>;
  };
}

/**
 * Creates a Standard Schema, with JSON Schema, for a configuration entry. The validated value has the declared fields only:
 * fields of the host (`disabled`, `timeout`, …) are valid in an entry, and are not passed to the transport.
 *
 * @example
 * ```ts
 * const schema = entrySchema({ path: required(text({ minLength: 1 })), retries: count({ max: 10 }) });
 * ```
 */
export function entrySchema<const F extends Readonly<Record<string, Field<unknown>>>>(
  fields: F,
): EntrySchema<EntryOf<F>> {
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

/** Options of {@link readEntry}. */
export interface ReadEntryOptions {
  /** Name of the server, for the error message. */
  readonly server: string;
  /** Name of the field of the entry that the value comes from, for example `oauth`. Default: it is the whole entry. */
  readonly member?: string | undefined;
}

/** Validates a configuration entry or a part of it. Throws `CONFIG_INVALID`, which names every invalid field and no value. */
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
    `The configuration of the server "${server}" is invalid: ${mistakes.join('; ')}.`,
    { server },
  );
}

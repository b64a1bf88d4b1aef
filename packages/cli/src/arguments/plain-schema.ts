import { isRecord } from '@mcp-fittings/client-core';

/** Keywords that check nothing. */
const NOTES = new Set(['$schema', 'title', 'description', 'default', 'examples', 'deprecated']);
const OF_OBJECT = new Set(['type', 'properties', 'required', 'additionalProperties']);
const OF_VALUE = new Set(['type', 'enum']);

/**
 * Returns whether arguments match a schema that is simple enough to be checked here: an object with texts, numbers and booleans.
 * Undefined for every other schema, which needs a validator.
 */
export function matchesPlainSchema(
  args: Readonly<Record<string, unknown>>,
  schema: unknown,
): boolean | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object' || !hasOnly(schema, OF_OBJECT)) return undefined;
  const { properties = {}, required = [], additionalProperties = true } = schema;
  if (!isRecord(properties) || !Array.isArray(required) || typeof additionalProperties !== 'boolean')
    return undefined;
  const checks = Object.entries(properties).map(([name, part]) =>
    Object.hasOwn(args, name) ? matchesValue(args[name], part) : isPlain(part) || undefined,
  );
  if (checks.includes(undefined)) return undefined;
  const isComplete = required.every((name) => typeof name === 'string' && Object.hasOwn(args, name));
  const isKnown = additionalProperties || Object.keys(args).every((name) => Object.hasOwn(properties, name));
  return isComplete && isKnown && !checks.includes(false);
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
};

function isPlain(part: unknown): part is Readonly<Record<string, unknown>> & { readonly type: string } {
  if (!isRecord(part) || !hasOnly(part, OF_VALUE)) return false;
  const { type, enum: values } = part;
  return (
    typeof type === 'string' && Object.hasOwn(TYPES, type) && (values === undefined || Array.isArray(values))
  );
}

function matchesValue(value: unknown, part: unknown): boolean | undefined {
  if (!isPlain(part)) return undefined;
  const { type, enum: values } = part;
  return TYPES[type]?.(value) === true && (!Array.isArray(values) || values.includes(value));
}

function hasOnly(schema: object, known: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((name) => known.has(name) || NOTES.has(name));
}

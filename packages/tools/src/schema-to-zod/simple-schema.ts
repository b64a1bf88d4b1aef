import type { Json } from '../json/copy-json.js';

/**
 * The subset of JSON Schema that `z.fromJSONSchema` converts exactly. Each schema has one purpose: one type with its
 * keywords, or a list of values, or a combination, or a reference to `$defs`. (A type, not an interface, so that it is
 * assignable to Zod's own type for JSON Schema, which has an index signature.)
 */
export type SimpleSchema = {
  /** Zod's `integer` ends at 2^53. */
  type?: JsonType | 'integer';
  enum?: string[];
  const?: string | number | boolean | null;
  anyOf?: SimpleSchema[];
  oneOf?: SimpleSchema[];
  allOf?: SimpleSchema[];
  $ref?: string;
  /** `{ not: {} }` accepts nothing. */
  not?: Record<string, never>;
  $defs?: Record<string, SimpleSchema>;
  description?: string;

  minLength?: number;
  maxLength?: number;
  pattern?: string;

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;

  items?: SimpleSchema | false;
  prefixItems?: SimpleSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  contains?: SimpleSchema;
  minContains?: number;
  maxContains?: number;

  properties?: Record<string, SimpleSchema>;
  required?: string[];
  additionalProperties?: SimpleSchema | false;
  patternProperties?: Record<string, SimpleSchema>;
  propertyNames?: SimpleSchema;
  minProperties?: number;
  maxProperties?: number;
};

export type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

export const JSON_TYPES: readonly JsonType[] = ['null', 'boolean', 'number', 'string', 'array', 'object'];

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object';
}

/** Accepts every value. */
export const anything = (): SimpleSchema => ({});
/** Accepts no value. */
export const nothing = (): SimpleSchema => ({ not: {} });

/**
 * Accepts no value, for members that an object does not name. In the intersection of two Zod objects `false` means "not
 * mine, ask the other one"; this does not.
 */
export const noOther = (): SimpleSchema => ({ anyOf: [] });

const isAnything = (schema: SimpleSchema): boolean =>
  Object.keys(schema).every((key) => key === 'description');
export const isNothing = (schema: SimpleSchema): boolean => schema.not !== undefined;

/** Accepts what all parts accept. */
export function allOf(parts: readonly SimpleSchema[]): SimpleSchema {
  const telling = parts.filter((part) => !isAnything(part));
  if (telling.some(isNothing)) return nothing();
  const [only, second] = telling;
  if (only === undefined) return anything();
  return second === undefined ? only : { allOf: telling };
}

/** Accepts what at least one part accepts. */
export function anyOf(parts: readonly SimpleSchema[]): SimpleSchema {
  if (parts.some(isAnything)) return anything();
  const possible = parts.filter((part) => !isNothing(part));
  const [only, second] = possible;
  if (only === undefined) return nothing();
  return second === undefined ? only : { anyOf: possible };
}

/** Returns every schema directly inside this one. */
export function innerSchemas(schema: SimpleSchema): readonly SimpleSchema[] {
  const { items, additionalProperties, contains, propertyNames } = schema;
  return [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.allOf ?? []),
    ...(schema.prefixItems ?? []),
    ...Object.values(schema.properties ?? {}),
    ...Object.values(schema.patternProperties ?? {}),
    ...[items, additionalProperties, contains, propertyNames].filter((inner) => typeof inner === 'object'),
  ];
}

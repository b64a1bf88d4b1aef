import type { Json } from '../json/copy-json.js';

/**
 * The part of JSON Schema that `z.fromJSONSchema` converts without loss. Each schema does one thing: one type with
 * its keywords, or one list of values, or one combination, or one reference to `$defs`. (A type and no interface, so
 * that it is assignable to Zod's own type for JSON Schema, which has an index signature.)
 */
export type SimpleSchema = {
  /** `integer` is Zod's: up to 2^53. */
  type?: JsonType | 'integer';
  enum?: string[];
  const?: string | number | boolean | null;
  anyOf?: SimpleSchema[];
  oneOf?: SimpleSchema[];
  allOf?: SimpleSchema[];
  $ref?: string;
  /** Fits nothing, as `{ not: {} }`. */
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

/** Fits everything. */
export const anything = (): SimpleSchema => ({});
/** Fits nothing. */
export const nothing = (): SimpleSchema => ({ not: {} });

/**
 * Fits nothing, for members that an object does not name. The intersection of two Zod objects takes `false` for
 * "not mine, ask the other one", and not this.
 */
export const noOther = (): SimpleSchema => ({ anyOf: [] });

const isAnything = (schema: SimpleSchema): boolean =>
  Object.keys(schema).every((key) => key === 'description');
export const isNothing = (schema: SimpleSchema): boolean => schema.not !== undefined;

/** Fits what all parts fit. */
export function allOf(parts: readonly SimpleSchema[]): SimpleSchema {
  const telling = parts.filter((part) => !isAnything(part));
  if (telling.some(isNothing)) return nothing();
  const [only, second] = telling;
  if (only === undefined) return anything();
  return second === undefined ? only : { allOf: telling };
}

/** Fits what at least one part fits. */
export function anyOf(parts: readonly SimpleSchema[]): SimpleSchema {
  if (parts.some(isAnything)) return anything();
  const possible = parts.filter((part) => !isNothing(part));
  const [only, second] = possible;
  if (only === undefined) return nothing();
  return second === undefined ? only : { anyOf: possible };
}

/** Every schema directly inside of a simple one. */
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

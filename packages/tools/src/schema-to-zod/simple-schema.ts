import type { SchemaDifferences } from '../schema/schema-differences.js';
import type { JsonType } from '../json/copy-json.js';
import type { LinearPattern } from '../schema/linear-pattern.js';

/**
 * The subset of JSON Schema that Zod expresses exactly. Each schema has one purpose: one type with its
 * keywords, or a list of values, or a combination, or a reference to `$defs`.
 */
export interface SimpleSchema {
  /** `integer`: a whole number of any size. */
  type?: JsonType | 'integer';
  enum?: string[];
  const?: string | number | boolean | null;
  anyOf?: SimpleSchema[];
  oneOf?: SimpleSchema[];
  allOf?: SimpleSchema[];
  /** JSON Pointer to a part of the document, which is the key of its schema in `$defs`. */
  $ref?: string;
  /** `{ not: {} }` accepts nothing. */
  not?: Record<string, never>;
  $defs?: Record<string, SimpleSchema>;
  description?: string;

  minLength?: number;
  maxLength?: number;
  pattern?: LinearPattern;

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
  patternProperties?: ReadonlyMap<LinearPattern, SimpleSchema>;
  propertyNames?: SimpleSchema;
  minProperties?: number;
  maxProperties?: number;
}

/** Accepts every value. */
export const anything = (): SimpleSchema => ({});
/** Accepts no value. */
export const nothing = (): SimpleSchema => ({ not: {} });

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

/**
 * Replaces the schemas of members such as `constructor`, which Zod sees in every object, and `__proto__`, which it sees in
 * none: they accept anything.
 */
export function openInheritedNames(
  members: readonly (readonly [name: string, schema: SimpleSchema])[],
  pointer: string,
  differences: SchemaDifferences,
): Record<string, SimpleSchema> {
  const isInherited = ([name]: readonly [string, SimpleSchema]): boolean => name in Object.prototype;
  if (!members.some(isInherited)) return Object.fromEntries(members);
  return Object.fromEntries(
    members.map((member) => {
      if (!isInherited(member)) return member;
      const [name] = member;
      differences.add('properties', pointer, `Zod takes ${name} for a member that every object inherits`);
      return [name, anything()];
    }),
  );
}

/** Calls `visit` with every schema directly inside this one. */
export function forEachInnerSchema(schema: SimpleSchema, visit: (inner: SimpleSchema) => void): void {
  const { anyOf: any, oneOf, allOf: all, prefixItems, properties, patternProperties } = schema;
  if (any !== undefined) any.forEach(visit);
  if (oneOf !== undefined) oneOf.forEach(visit);
  if (all !== undefined) all.forEach(visit);
  if (prefixItems !== undefined) prefixItems.forEach(visit);
  if (properties !== undefined) Object.values(properties).forEach(visit);
  if (patternProperties !== undefined) for (const inner of patternProperties.values()) visit(inner);
  const { items, additionalProperties, contains, propertyNames } = schema;
  if (typeof items === 'object') visit(items);
  if (typeof additionalProperties === 'object') visit(additionalProperties);
  if (contains !== undefined) visit(contains);
  if (propertyNames !== undefined) visit(propertyNames);
}

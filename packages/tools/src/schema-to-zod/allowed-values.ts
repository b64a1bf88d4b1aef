import {
  isJsonObject,
  type Json,
  type JsonObject,
  ALL_TYPES,
  JSON_TYPES,
  type JsonType,
} from '../json/copy-json.js';
import type { SchemaDifferences } from '../schema/schema-differences.js';
import { anyOf, openInheritedNames, type SimpleSchema } from './simple-schema.js';

/** The keyword `type`. */
export interface DeclaredType {
  readonly types: ReadonlySet<JsonType>;
  /** True if numbers have to be whole. */
  readonly integer: boolean;
  /** True if the keyword is there and valid. */
  readonly explicit: boolean;
}

export const ANY_TYPE: DeclaredType = { types: ALL_TYPES, integer: false, explicit: false };

/** Reads `type`. Returns undefined if it names none, or one that is not known. */
export function declaredType({ type }: JsonObject): DeclaredType | undefined {
  if (type === undefined) return ANY_TYPE;
  const names = new Set(Array.isArray(type) ? type : [type]);
  const types = JSON_TYPES.filter((known) => names.has(known));
  const integer = names.has('integer');
  if (names.size === 0 || types.length + Number(integer) < names.size) return undefined;
  const onlyWhole = integer && !types.includes('number');
  const all = onlyWhole ? JSON_TYPES.filter((known) => names.has(known) || known === 'number') : types;
  return { types: new Set(all), integer: onlyWhole, explicit: true };
}

/** The keywords that apply to values of one type and are ignored for all others. */
const KEYWORDS: Readonly<Partial<Record<JsonType, readonly string[]>>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'additionalItems',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};

/** Returns whether the schema has a keyword that applies to values of this type. */
export function constrains(node: JsonObject, type: JsonType): boolean {
  return KEYWORDS[type]?.some((keyword) => node[keyword] !== undefined) === true;
}

/** Creates a schema for `enum` and `const`: it accepts exactly these values, compared deeply. */
export function exactValues(
  values: readonly Json[],
  pointer: string,
  differences: SchemaDifferences,
): SimpleSchema {
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  const others = values
    .filter((value) => typeof value !== 'string')
    .map((value) => exactValue(value, pointer, differences));
  if (texts.length === 0) return anyOf(others);
  return anyOf([texts.length === 1 ? { const: texts[0] ?? '' } : { enum: texts }, ...others]);
}

function exactValue(value: Json, pointer: string, differences: SchemaDifferences): SimpleSchema {
  if (typeof value !== 'object' || value === null) return { const: value };
  if (!isJsonObject(value)) {
    const elements = value.map((element) => exactValue(element, pointer, differences));
    return { type: 'array', prefixItems: elements, items: false, minItems: value.length };
  }
  const members = Object.entries(value);
  return {
    type: 'object',
    properties: openInheritedNames(
      members.map(([key, member]) => [key, exactValue(member, pointer, differences)]),
      pointer,
      differences,
    ),
    required: members.map(([key]) => key),
    additionalProperties: false,
  };
}

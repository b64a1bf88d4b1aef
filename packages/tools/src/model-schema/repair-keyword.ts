import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { isSchema } from '../schema/subschemas.js';

const TYPES = new Set<Json>(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']);
const COUNTS = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const NUMBERS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']);
const FLAGS = new Set(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']);
const TEXTS = new Set(['description', 'title', 'format', 'contentMediaType', 'contentEncoding']);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const SCHEMAS = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/**
 * The value of a keyword as the meta-schema of 2020-12 has it: the very value, another one that means the same, or
 * undefined where it means nothing. One value that does not fit makes APIs refuse a whole request.
 */
export function usableKeyword(keyword: string, value: Json, node: JsonObject): Json | undefined {
  if (keyword === 'type') return usableType(value);
  if (keyword === 'required') return usableNames(value);
  if (keyword === 'enum') return usableList(value);
  if (keyword === 'examples') return Array.isArray(value) ? value : undefined;
  if (keyword === 'items')
    return isSchema(value) || (Array.isArray(value) && value.length > 0) ? value : undefined;
  if (keyword === 'pattern') return typeof value === 'string' && compiles(value) ? value : undefined;
  if (keyword === 'exclusiveMinimum' && value === true) return numberOrNothing(node['minimum']);
  if (keyword === 'exclusiveMaximum' && value === true) return numberOrNothing(node['maximum']);
  if (keyword === 'dependentRequired') return usableDependencies(value);
  // Its two meanings are two keywords now; the check of the arguments knows them.
  if (keyword === 'dependencies') return undefined;
  if (COUNTS.has(keyword))
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
  if (NUMBERS.has(keyword)) {
    return typeof value === 'number' && !(keyword === 'multipleOf' && value <= 0) ? value : undefined;
  }
  if (FLAGS.has(keyword)) return typeof value === 'boolean' ? value : undefined;
  if (TEXTS.has(keyword)) return typeof value === 'string' ? value : undefined;
  if (SCHEMA_LISTS.has(keyword)) return usableSchemas(value);
  if (SCHEMAS.has(keyword)) return isSchema(value) ? value : undefined;
  if (keyword === 'patternProperties') return usablePatterns(value);
  if (SCHEMA_MAPS.has(keyword)) return isJsonObject(value) ? value : undefined;
  return value;
}

function usableType(value: Json): Json | undefined {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined;
  const types = [...new Set(value.filter((type: Json) => TYPES.has(type)))];
  if (types.length === value.length && types.length > 0) return value;
  return types.length === 0 || value.some((type: Json) => !TYPES.has(type)) ? undefined : types;
}

function usableNames(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set(value.filter((name: Json) => typeof name === 'string'))];
  if (names.length === value.length) return value;
  return names.length === 0 ? undefined : names;
}

function usableList(value: Json): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const unique = [...new Map(value.map((each: Json) => [JSON.stringify(each), each])).values()];
  return unique.length === value.length ? value : unique;
}

function usableSchemas(value: Json): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((each: Json) => isSchema(each)) ? value : undefined;
}

function usableDependencies(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const fits = (names: Json): boolean =>
    Array.isArray(names) && names.every((name: Json) => typeof name === 'string');
  return Object.values(value).every(fits) ? value : undefined;
}

function usablePatterns(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const usable = entries.filter(([pattern]) => compiles(pattern));
  return usable.length === entries.length ? value : Object.fromEntries(usable);
}

const numberOrNothing = (value: Json | undefined): Json | undefined =>
  typeof value === 'number' ? value : undefined;

/** With the `u` flag, as JSON Schema means it, or without, as many servers write it. */
function compiles(pattern: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(pattern, flags).lastIndex === 0;
    } catch {
      return false;
    }
  });
}

import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { asRegExp } from '../schema/linear-pattern.js';
import {
  isSchema,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../schema/subschemas.js';

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

/**
 * Returns a value for a keyword that the meta-schema of 2020-12 accepts: the value itself, one that means the same, or
 * undefined if it has no meaning. A single invalid value makes model APIs reject a whole request.
 */
export function repairKeyword(keyword: string, value: Json, node: JsonObject): Json | undefined {
  if (keyword === 'type') return repairType(value);
  if (keyword === 'required') return repairNames(value);
  if (keyword === 'enum') return repairList(value);
  if (keyword === 'examples') return Array.isArray(value) ? value : undefined;
  if (keyword === 'items')
    return isSchema(value) || (Array.isArray(value) && value.length > 0) ? value : undefined;
  if (keyword === 'pattern')
    return typeof value === 'string' && asRegExp(value) !== undefined ? value : undefined;
  if (keyword === 'exclusiveMinimum' && value === true) return numberOrNothing(node['minimum']);
  if (keyword === 'exclusiveMaximum' && value === true) return numberOrNothing(node['maximum']);
  if (keyword === 'dependentRequired') return repairDependencies(value);
  // 2020-12 has two keywords instead. The check of the arguments handles it.
  if (keyword === 'dependencies') return undefined;
  if (COUNTS.has(keyword))
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
  if (NUMBERS.has(keyword)) {
    return typeof value === 'number' && !(keyword === 'multipleOf' && value <= 0) ? value : undefined;
  }
  if (FLAGS.has(keyword)) return typeof value === 'boolean' ? value : undefined;
  if (TEXTS.has(keyword)) return typeof value === 'string' ? value : undefined;
  if (SCHEMA_LIST_KEYWORDS.has(keyword)) return repairSchemas(value);
  if (SCHEMA_KEYWORDS.has(keyword)) return isSchema(value) ? value : undefined;
  if (keyword === 'patternProperties') return repairPatterns(value);
  if (SCHEMA_MAP_KEYWORDS.has(keyword)) return isJsonObject(value) ? value : undefined;
  return value;
}

function repairType(value: Json): Json | undefined {
  if (!Array.isArray(value)) return TYPES.has(value) ? value : undefined;
  const types = [...new Set(value.filter((type: Json) => TYPES.has(type)))];
  if (types.length === value.length && types.length > 0) return value;
  return types.length === 0 || value.some((type: Json) => !TYPES.has(type)) ? undefined : types;
}

function repairNames(value: Json): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = [...new Set(value.filter((name: Json) => typeof name === 'string'))];
  if (names.length === value.length) return value;
  return names.length === 0 ? undefined : names;
}

function repairList(value: Json): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const unique = [...new Map(value.map((each: Json) => [JSON.stringify(each), each])).values()];
  return unique.length === value.length ? value : unique;
}

function repairSchemas(value: Json): Json | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every((each: Json) => isSchema(each)) ? value : undefined;
}

function repairDependencies(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const fits = (names: Json): boolean =>
    Array.isArray(names) && names.every((name: Json) => typeof name === 'string');
  return Object.values(value).every(fits) ? value : undefined;
}

function repairPatterns(value: Json): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const usable = entries.filter(([pattern]) => asRegExp(pattern) !== undefined);
  return usable.length === entries.length ? value : Object.fromEntries(usable);
}

const numberOrNothing = (value: Json | undefined): Json | undefined =>
  typeof value === 'number' ? value : undefined;

import { isRecord, sanitizeText } from '@mcp-fittings/client-core';
import { isJsonObject, type Json, type JsonObject } from '../schema/plain-copy.js';

/** JSON Schema of an object, as model APIs take it for the arguments of a function. */
export type ModelSchema = {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
};

const LONGEST_TEXT = 2_000;

/** Keywords whose members are named schemas, and keywords whose values are data. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['default', 'examples', 'enum', 'const', 'required', 'dependentRequired']);
/** They tell a model nothing, and some APIs refuse them. */
const LEFT_OUT = new Set(['$schema', '$comment']);

/**
 * A server's schema for a model: the same keywords, with its descriptions bounded and free of control sequences, and
 * with `type` and `properties` at the root, which model APIs insist on.
 */
export function modelSchema(schema: JsonObject): ModelSchema {
  const { properties, ...rest } = clean(schema);
  return { ...rest, type: 'object', properties: isRecord(properties) ? properties : {} };
}

/** Also gives every object a prototype again, which libraries expect. */
function clean(schema: JsonObject): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([keyword]) => !LEFT_OUT.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, cleanKeyword(keyword, value)]));
}

function cleanKeyword(keyword: string, value: Json): unknown {
  if ((keyword === 'description' || keyword === 'title') && typeof value === 'string') {
    return sanitizeText(value, { maxLength: LONGEST_TEXT, multiline: true });
  }
  if (DATA.has(keyword)) return JSON.parse(JSON.stringify(value));
  if (NAMED.has(keyword) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cleanAny(member)]));
  }
  return cleanAny(value);
}

function cleanAny(value: Json): unknown {
  if (isJsonObject(value)) return clean(value);
  return Array.isArray(value) ? value.map((element: Json) => cleanAny(element)) : value;
}

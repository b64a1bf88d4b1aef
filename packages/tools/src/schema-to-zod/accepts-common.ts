import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { regularExpression } from '../patterns/regular-expression.js';
import { definitionOf, type SimpleSchema } from './simple-schema.js';

/** What {@link acceptsCommon} needs to know of the whole schema. It must not refer to itself: Zod remembers what it checked. */
export interface AcceptanceRules {
  /** Whether all patterns match in linear time. If not, a string with a pattern is left to Zod. */
  readonly testsPatterns: boolean;
  /** The `$defs`. */
  readonly definitions: Readonly<Record<string, SimpleSchema>>;
}

/**
 * Checks a value against a schema that `isCommon` accepts. Returns true only if Zod accepts the value too. False means
 * that Zod has to decide, and to say what is wrong.
 *
 * Most arguments are valid. This accepts them in a tenth of the time that Zod needs for the first value of a schema, and
 * without a Zod schema.
 *
 * @param value A copy by `copyJson`, whose objects have no prototype.
 */
export function acceptsCommon(schema: SimpleSchema, value: Json, rules: AcceptanceRules): boolean {
  if (schema.not !== undefined) return false;
  if (schema.enum !== undefined) return typeof value === 'string' && schema.enum.includes(value);
  if (schema.const !== undefined) return value === schema.const;
  if (schema.$ref !== undefined)
    return acceptsCommon(definitionOf(schema.$ref, rules.definitions), value, rules);
  if (schema.anyOf !== undefined) return schema.anyOf.some((option) => acceptsCommon(option, value, rules));
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && acceptsText(schema, value, rules);
    case 'number':
      return typeof value === 'number' && isWithin(schema, value);
    case 'integer':
      return Number.isInteger(value) && typeof value === 'number' && isWithin(schema, value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value) && acceptsList(schema, value, rules);
    case 'object':
      return isJsonObject(value) && acceptsMembers(schema, value, rules);
    default:
      return true;
  }
}

const SURROGATE = /[\ud800-\udfff]/;

function acceptsText(
  { minLength = 0, maxLength = Infinity, pattern }: SimpleSchema,
  text: string,
  rules: AcceptanceRules,
): boolean {
  if (text.length > maxLength) return false;
  // Zod counts code points, which are fewer where there are surrogates.
  if (minLength > 0 && (text.length < minLength || SURROGATE.test(text))) return false;
  return pattern === undefined || (rules.testsPatterns && regularExpression(pattern).test(text));
}

function isWithin(schema: SimpleSchema, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (
    // Zod's remainder has a tolerance.
    schema.multipleOf === undefined &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}

function acceptsList(schema: SimpleSchema, list: readonly Json[], rules: AcceptanceRules): boolean {
  const { items = {}, minItems = 0, maxItems = Infinity } = schema;
  if (list.length < minItems || list.length > maxItems) return false;
  if (items === false) return list.length === 0;
  return list.every((element) => acceptsCommon(items, element, rules));
}

function acceptsMembers(schema: SimpleSchema, value: JsonObject, rules: AcceptanceRules): boolean {
  const { properties, required, additionalProperties } = schema;
  if (required !== undefined) for (const name of required) if (!Object.hasOwn(value, name)) return false;
  for (const name of Object.keys(value)) {
    // Zod leaves it out of every object.
    if (name === '__proto__') return false;
    const known = properties !== undefined && Object.hasOwn(properties, name);
    const member = known ? properties[name] : additionalProperties;
    if (member === false) return false;
    if (member !== undefined && !acceptsCommon(member, value[name] ?? null, rules)) return false;
  }
  return true;
}

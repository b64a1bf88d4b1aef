import { isRecord } from '@mcp-fittings/client-core';
import { parsePattern } from '../patterns/parse-pattern.js';
import type { ModelSchema } from '../model-schema/model-schema.js';

/** What strict mode knows, by kind of schema. Anything else makes the API refuse the whole request. */
const ANNOTATIONS = ['title', 'description'];
const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const DEEPEST = 10;
const MOST_PROPERTIES = 5_000;
const MOST_VALUES = 1_000;
/** An `enum` of more texts than this may have so many characters in all. */
const MANY_VALUES = 250;
const MOST_ENUM_CHARACTERS = 15_000;
/** Names of properties and definitions, and values, of the whole schema. */
const MOST_CHARACTERS = 120_000;

/**
 * Why a schema does not meet the demands of OpenAI's strict mode as it is; undefined when it does. What is not known to be
 * accepted counts as refused: the API answers one such tool by refusing the whole request.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictModeProblem(schema: ModelSchema): string | undefined {
  try {
    const judge = new Judge(schema);
    const { $defs, ...root } = schema;
    if (root['anyOf'] !== undefined) return 'the root has anyOf';
    judge.check(root, '', 1);
    if ($defs !== undefined) {
      if (!isRecord($defs)) return '$defs is not an object';
      for (const [name, definition] of Object.entries($defs)) {
        judge.count(name);
        judge.check(definition, `/$defs/${name}`, 1);
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof NotStrict) return error.message;
    throw error;
  }
}

class NotStrict extends Error {}

class Judge {
  readonly #definitions: Readonly<Record<string, unknown>>;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor({ $defs }: ModelSchema) {
    this.#definitions = isRecord($defs) ? $defs : {};
  }

  check(schema: unknown, at: string, depth: number): void {
    const no = (why: string): never => {
      throw new NotStrict(`${at === '' ? 'the root' : at}: ${why}`);
    };
    if (!isRecord(schema)) return no('not an object');
    if (depth > DEEPEST) return no(`nested deeper than ${DEEPEST} levels`);
    for (const keyword of ANNOTATIONS) {
      if (schema[keyword] !== undefined && typeof schema[keyword] !== 'string')
        no(`${keyword} is not a text`);
    }
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.includes(keyword));
    if (schema['$ref'] !== undefined) {
      if (Object.keys(schema).length > 1) no('$ref has siblings');
      return this.#reference(schema['$ref'], no);
    }
    if (schema['anyOf'] !== undefined) {
      if (keywords.length > 1) no('anyOf has siblings');
      if (!Array.isArray(schema['anyOf']) || schema['anyOf'].length === 0)
        return no('anyOf is not a list of schemas');
      for (const [index, branch] of schema['anyOf'].entries())
        this.check(branch, `${at}/anyOf/${index}`, depth + 1);
      return;
    }
    const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
    if (types.length === 0 || new Set(types).size < types.length) no('type is not a list of different types');
    const known = types.flatMap((type) =>
      typeof type === 'string' && Object.hasOwn(BY_TYPE, type)
        ? (BY_TYPE[type] ?? [])
        : no('it has no known type'),
    );
    const stranger = keywords.find((keyword) => !['type', 'enum', 'const', ...known].includes(keyword));
    if (stranger !== undefined) no(`${stranger} is not supported`);
    this.#checkValues(schema, types, no);
    for (const keyword of NUMBERS) {
      const value = schema[keyword];
      if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value)))
        no(`${keyword} is not a number`);
    }
    if (typeof schema['multipleOf'] === 'number' && schema['multipleOf'] <= 0)
      no('multipleOf is not above zero');
    if (schema['pattern'] !== undefined && !isPlainPattern(schema['pattern']))
      no('its pattern may not be supported');
    if (types.includes('array')) this.#checkList(schema, at, depth, no);
    if (types.includes('object')) this.#checkObject(schema, at, depth, no);
  }

  count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) {
      throw new NotStrict(`names and values have more than ${MOST_CHARACTERS} characters`);
    }
  }

  #reference(reference: unknown, no: (why: string) => never): void {
    const name = typeof reference === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1] : undefined;
    if (name === undefined || !Object.hasOwn(this.#definitions, name)) no('its $ref leads to no definition');
    // A chain of references that comes back to itself describes nothing.
    const seen = new Set<unknown>();
    for (let next: unknown = reference; next !== undefined;) {
      if (seen.has(next)) no('its $ref leads back to itself');
      seen.add(next);
      const target = typeof next === 'string' ? this.#definitions[next.slice('#/$defs/'.length)] : undefined;
      next = isRecord(target) ? target['$ref'] : undefined;
    }
  }

  #checkValues(schema: Record<string, unknown>, types: readonly unknown[], no: (why: string) => never): void {
    const { enum: listed, const: single } = schema;
    const values: unknown[] = 'const' in schema ? [single] : [];
    if (listed !== undefined) {
      if (!Array.isArray(listed) || listed.length === 0) return no('enum is not a list of values');
      if (new Set(listed).size < listed.length) no('a value of enum comes twice');
      const characters = listed.reduce(
        (sum: number, value) => sum + (typeof value === 'string' ? value.length : 0),
        0,
      );
      if (listed.length > MANY_VALUES && characters > MOST_ENUM_CHARACTERS) {
        no(`enum has more than ${MANY_VALUES} values with ${MOST_ENUM_CHARACTERS} characters`);
      }
      values.push(...listed);
    }
    this.#values += values.length;
    if (this.#values > MOST_VALUES) no(`the schema has more than ${MOST_VALUES} values`);
    for (const value of values) {
      if (!types.some((type) => isOfType(value, type))) no('a value is not of its type');
      this.count(String(value));
    }
  }

  #checkList(schema: Record<string, unknown>, at: string, depth: number, no: (why: string) => never): void {
    if (schema['items'] === undefined) no('a list has no items');
    for (const keyword of ['minItems', 'maxItems']) {
      const value = schema[keyword];
      if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 0))
        no(`${keyword} is not a count`);
    }
    this.check(schema['items'], `${at}/items`, depth + 1);
  }

  #checkObject(schema: Record<string, unknown>, at: string, depth: number, no: (why: string) => never): void {
    const { properties, required, additionalProperties } = schema;
    if (!isRecord(properties)) return no('an object has no properties');
    if (additionalProperties !== false) no('additionalProperties is not false');
    const names = Object.keys(properties);
    const listed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (required !== undefined && !Array.isArray(required)) no('required is not a list');
    if (new Set(listed).size < listed.length) no('required names a property twice');
    if (!names.every((name) => listed.includes(name))) no('a property is not required');
    if (!listed.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) {
      no('required names an unknown property');
    }
    this.#properties += names.length;
    if (this.#properties > MOST_PROPERTIES) no(`the schema has more than ${MOST_PROPERTIES} properties`);
    for (const name of names) {
      this.count(name);
      this.check(properties[name], `${at}/properties/${name}`, depth + 1);
    }
  }
}

/** Scalars only: the API refuses lists and objects as values. */
function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value !== 'object' && typeof value === type;
}

/** No look-around, no back-reference, no assertion inside: what every engine for regular expressions knows. */
function isPlainPattern(pattern: unknown): boolean {
  return typeof pattern === 'string' && parsePattern(pattern) !== undefined;
}

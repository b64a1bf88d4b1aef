import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ModelSchema } from '../model-tools/model-schema.js';

/** The keywords that strict mode supports. Any other makes the API reject the whole request. */
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
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5_000;
const MAX_VALUES = 1_000;
/** An `enum` with more values may have at most `MAX_LONG_ENUM_CHARACTERS` characters. */
const LONG_ENUM = 250;
const MAX_LONG_ENUM_CHARACTERS = 15_000;
/** Maximum characters of all property names, definition names and values together. */
const MAX_CHARACTERS = 120_000;

/**
 * Returns why a schema does not meet the requirements of OpenAI's strict mode, or undefined if it does. A schema that is not
 * known to be accepted counts as rejected, because the API rejects the whole request for one such tool.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictModeProblem(schema: ModelSchema): string | undefined {
  try {
    const checker = new StrictModeChecker(schema);
    const { $defs, ...root } = schema;
    if (root['anyOf'] !== undefined) return 'the root has anyOf';
    checker.check(root, '', 1);
    if ($defs !== undefined) {
      if (!isRecord($defs)) return '$defs is not an object';
      for (const [name, definition] of Object.entries($defs)) {
        checker.count(name);
        checker.check(definition, `/$defs/${name}`, 1);
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof NotStrict) return error.message;
    throw error;
  }
}

class NotStrict extends Error {}

class StrictModeChecker {
  readonly #definitions: Readonly<Record<string, unknown>>;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor({ $defs }: ModelSchema) {
    this.#definitions = isRecord($defs) ? $defs : {};
  }

  check(schema: unknown, at: string, depth: number): void {
    const reject = (why: string): never => {
      throw new NotStrict(`${at === '' ? 'the root' : at}: ${why}`);
    };
    if (!isRecord(schema)) return reject('not an object');
    if (depth > MAX_DEPTH) return reject(`nested deeper than ${MAX_DEPTH} levels`);
    for (const keyword of ANNOTATIONS) {
      if (schema[keyword] !== undefined && typeof schema[keyword] !== 'string')
        reject(`${keyword} is not a string`);
    }
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.includes(keyword));
    if (schema['$ref'] !== undefined) {
      if (Object.keys(schema).length > 1) reject('$ref has siblings');
      return this.#reference(schema['$ref'], reject);
    }
    if (schema['anyOf'] !== undefined) {
      if (keywords.length > 1) reject('anyOf has siblings');
      if (!Array.isArray(schema['anyOf']) || schema['anyOf'].length === 0)
        return reject('anyOf is not an array of schemas');
      for (const [index, branch] of schema['anyOf'].entries())
        this.check(branch, `${at}/anyOf/${index}`, depth + 1);
      return;
    }
    const types: readonly unknown[] = Array.isArray(schema['type']) ? schema['type'] : [schema['type']];
    if (types.length === 0 || new Set(types).size < types.length)
      reject('type is not an array of different types');
    const known = types.flatMap((type) =>
      typeof type === 'string' && Object.hasOwn(BY_TYPE, type)
        ? (BY_TYPE[type] ?? [])
        : reject('its type is missing or unknown'),
    );
    const unsupported = keywords.find((keyword) => !['type', 'enum', 'const', ...known].includes(keyword));
    if (unsupported !== undefined) reject(`${unsupported} is not supported`);
    this.#checkValues(schema, types, reject);
    for (const keyword of NUMBERS) {
      const value = schema[keyword];
      if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value)))
        reject(`${keyword} is not a number`);
    }
    if (typeof schema['multipleOf'] === 'number' && schema['multipleOf'] <= 0)
      reject('multipleOf is not greater than 0');
    if (schema['pattern'] !== undefined && !isPlainPattern(schema['pattern']))
      reject('its pattern may not be supported');
    if (types.includes('array')) this.#checkList(schema, at, depth, reject);
    if (types.includes('object')) this.#checkObject(schema, at, depth, reject);
  }

  count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) {
      throw new NotStrict(`names and values have more than ${MAX_CHARACTERS} characters`);
    }
  }

  #reference(reference: unknown, reject: (why: string) => never): void {
    const name = typeof reference === 'string' ? /^#\/\$defs\/([^/~%]+)$/.exec(reference)?.[1] : undefined;
    if (name === undefined || !Object.hasOwn(this.#definitions, name))
      reject('its $ref leads to no definition');
    // A chain of references that leads back to itself describes no value.
    const seen = new Set<unknown>();
    for (let next: unknown = reference; next !== undefined;) {
      if (seen.has(next)) reject('its $ref leads back to itself');
      seen.add(next);
      const target = typeof next === 'string' ? this.#definitions[next.slice('#/$defs/'.length)] : undefined;
      next = isRecord(target) ? target['$ref'] : undefined;
    }
  }

  #checkValues(
    schema: Record<string, unknown>,
    types: readonly unknown[],
    reject: (why: string) => never,
  ): void {
    const { enum: listed, const: single } = schema;
    const values: unknown[] = 'const' in schema ? [single] : [];
    if (listed !== undefined) {
      if (!Array.isArray(listed) || listed.length === 0) return reject('enum is not an array of values');
      if (new Set(listed).size < listed.length) reject('enum lists a value twice');
      const characters = listed.reduce(
        (sum: number, value) => sum + (typeof value === 'string' ? value.length : 0),
        0,
      );
      if (listed.length > LONG_ENUM && characters > MAX_LONG_ENUM_CHARACTERS) {
        reject(`enum has more than ${LONG_ENUM} values with ${MAX_LONG_ENUM_CHARACTERS} characters`);
      }
      values.push(...listed);
    }
    this.#values += values.length;
    if (this.#values > MAX_VALUES) reject(`the schema has more than ${MAX_VALUES} values`);
    for (const value of values) {
      if (!types.some((type) => isOfType(value, type))) reject('a value is not of its type');
      this.count(String(value));
    }
  }

  #checkList(
    schema: Record<string, unknown>,
    at: string,
    depth: number,
    reject: (why: string) => never,
  ): void {
    if (schema['items'] === undefined) reject('an array has no items');
    for (const keyword of ['minItems', 'maxItems']) {
      const value = schema[keyword];
      if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 0))
        reject(`${keyword} is not a non-negative integer`);
    }
    this.check(schema['items'], `${at}/items`, depth + 1);
  }

  #checkObject(
    schema: Record<string, unknown>,
    at: string,
    depth: number,
    reject: (why: string) => never,
  ): void {
    const { properties, required, additionalProperties } = schema;
    if (!isRecord(properties)) return reject('an object has no properties');
    if (additionalProperties !== false) reject('additionalProperties is not false');
    const names = Object.keys(properties);
    const listed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (required !== undefined && !Array.isArray(required)) reject('required is not an array');
    if (new Set(listed).size < listed.length) reject('required names a property twice');
    if (!names.every((name) => listed.includes(name))) reject('a property is not required');
    if (!listed.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) {
      reject('required names an unknown property');
    }
    this.#properties += names.length;
    if (this.#properties > MAX_PROPERTIES) reject(`the schema has more than ${MAX_PROPERTIES} properties`);
    for (const name of names) {
      this.count(name);
      this.check(properties[name], `${at}/properties/${name}`, depth + 1);
    }
  }
}

/** Scalars only: the API rejects arrays and objects as values. */
function isOfType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value !== 'object' && typeof value === type;
}

/** No lookaround, backreference or inner assertion: the syntax that every regular expression engine supports. */
function isPlainPattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string') return false;
  const rest = pattern.replaceAll(/\\(?:[dDwWsSfnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z0-9])/g, 'a');
  return !/\\|\(\?[^:]|[^[]\^|\$./s.test(rest);
}

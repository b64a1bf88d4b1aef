import type { ModelSchema } from '../model-tools/model-schema.js';

/** The keywords that strict mode supports. Any other makes the API reject the whole request. */
const ANNOTATIONS = ['title', 'description'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern'],
  number: NUMBERS,
  integer: NUMBERS,
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 5_000;
const MAX_VALUES = 1_000;
/** An `enum` with more values may have at most `MAX_LONG_ENUM_CHARACTERS` characters. */
const LONG_ENUM = 250;
const MAX_LONG_ENUM_CHARACTERS = 15_000;
/** Maximum characters of all property names, definition names and values together. */
const MAX_CHARACTERS = 120_000;

/** A schema that {@link modelSchema} had nothing to repair in: each keyword has a value of its type. */
interface ValidSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, ValidSchema>>;
  readonly anyOf?: readonly ValidSchema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly items?: ValidSchema;
  readonly properties?: Readonly<Record<string, ValidSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/**
 * Returns why a schema without repairs does not meet the requirements of OpenAI's strict mode, or undefined if it does. A schema
 * that is not known to be accepted counts as rejected, because the API rejects the whole request for one such tool.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictModeProblem(schema: ModelSchema): string | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has no repairs
  const { $defs = {}, ...root } = schema as ValidSchema;
  try {
    const checker = new StrictModeChecker($defs);
    checker.check(root, '', 1);
    for (const [name, definition] of Object.entries($defs)) {
      checker.count(name);
      checker.check(definition, `/$defs/${name}`, 1);
    }
    return undefined;
  } catch (error) {
    if (error instanceof NotStrict) return error.message;
    throw error;
  }
}

class NotStrict extends Error {}

type Reject = (why: string) => never;

class StrictModeChecker {
  readonly #definitions: Readonly<Record<string, ValidSchema>>;
  /** References that lead to a schema in the end. */
  readonly #ending = new Set<string>();
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor(definitions: Readonly<Record<string, ValidSchema>>) {
    this.#definitions = definitions;
  }

  check(schema: ValidSchema, at: string, depth: number): void {
    const reject: Reject = (why) => {
      throw new NotStrict(`${at === '' ? 'the root' : at}: ${why}`);
    };
    if (depth > MAX_DEPTH) reject(`nested deeper than ${MAX_DEPTH} levels`);
    if (schema.$ref !== undefined) return this.#reference(schema.$ref, reject);
    const keywords = Object.keys(schema).filter((keyword) => !ANNOTATIONS.includes(keyword));
    if (schema.anyOf !== undefined) {
      if (keywords.length > 1) reject('anyOf has siblings');
      for (const [index, branch] of schema.anyOf.entries())
        this.check(branch, `${at}/anyOf/${index}`, depth + 1);
      return;
    }
    const types = [schema.type ?? reject('its type is missing')].flat();
    const known = types.flatMap((type) => BY_TYPE[type] ?? []);
    const unsupported = keywords.find((keyword) => !['type', 'enum', 'const', ...known].includes(keyword));
    if (unsupported !== undefined) reject(`${unsupported} is not supported`);
    this.#checkValues(schema, types, reject);
    if (schema.pattern !== undefined && !isPlainPattern(schema.pattern))
      reject('its pattern may not be supported');
    if (schema.items !== undefined) this.check(schema.items, `${at}/items`, depth + 1);
    if (types.includes('object')) this.#checkObject(schema, at, depth, reject);
  }

  count(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) {
      throw new NotStrict(`names and values have more than ${MAX_CHARACTERS} characters`);
    }
  }

  /** Rejects a chain of references that leads back to itself, because it describes no value. */
  #reference(reference: string, reject: Reject): void {
    const seen = new Set<string>();
    for (let next: string | undefined = reference; next !== undefined && !this.#ending.has(next);) {
      if (seen.has(next)) reject('its $ref leads back to itself');
      seen.add(next);
      next = this.#definitions[next.slice('#/$defs/'.length)]?.$ref;
    }
    for (const each of seen) this.#ending.add(each);
  }

  #checkValues(schema: ValidSchema, types: readonly string[], reject: Reject): void {
    const { enum: listed = [], const: single } = schema;
    // Two values may be shown as the same text.
    if (new Set(listed).size < listed.length) reject('enum lists a value twice');
    const characters = listed.reduce(
      (sum: number, value) => sum + (typeof value === 'string' ? value.length : 0),
      0,
    );
    if (listed.length > LONG_ENUM && characters > MAX_LONG_ENUM_CHARACTERS) {
      reject(`enum has more than ${LONG_ENUM} values with ${MAX_LONG_ENUM_CHARACTERS} characters`);
    }
    const values = 'const' in schema ? [single, ...listed] : listed;
    this.#values += values.length;
    if (this.#values > MAX_VALUES) reject(`the schema has more than ${MAX_VALUES} values`);
    for (const value of values) {
      if (!types.some((type) => isOfType(value, type))) reject('a value is not of its type');
      this.count(String(value));
    }
  }

  #checkObject(schema: ValidSchema, at: string, depth: number, reject: Reject): void {
    const { properties, required = [], additionalProperties } = schema;
    if (properties === undefined) return reject('an object has no properties');
    if (additionalProperties !== false) reject('additionalProperties is not false');
    const names = Object.keys(properties);
    const listed = new Set(required);
    if (!names.every((name) => listed.has(name))) reject('a property is not required');
    if (required.length > names.length) reject('required names an unknown property');
    this.#properties += names.length;
    if (this.#properties > MAX_PROPERTIES) reject(`the schema has more than ${MAX_PROPERTIES} properties`);
    for (const [name, property] of Object.entries(properties)) {
      this.count(name);
      this.check(property, `${at}/properties/${name}`, depth + 1);
    }
  }
}

/** Scalars only: the API rejects arrays and objects as values. */
function isOfType(value: unknown, type: string): boolean {
  if (value === null) return type === 'null';
  if (type === 'integer') return Number.isInteger(value);
  return typeof value !== 'object' && typeof value === type;
}

/** No lookaround, backreference or inner assertion: the syntax that every regular expression engine supports. */
function isPlainPattern(pattern: string): boolean {
  const rest = pattern.replaceAll(/\\(?:[dDwWsSfnrtv]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|[^A-Za-z0-9])/g, 'a');
  return !/\\|\(\?[^:]|[^[]\^|\$./s.test(rest);
}

import { isRecord } from '@mcp-fittings/client-core';
import { escapeText, sanitizeText } from '@mcp-fittings/client-core/text';
import { LossReport, type SchemaLoss } from '../schema/loss.js';
import { isJsonObject, type Json, type JsonObject } from '../schema/plain-copy.js';
import type { References } from '../schema/references.js';
import { isSchema } from '../schema/subschemas.js';
import { pointerOf } from '../schema/json-pointer.js';
import { createDefinitions, type Definitions } from './definitions.js';
import { usableKeyword } from './usable-keyword.js';
import type { ShownNames } from './shown-names.js';

/** JSON Schema of an object, as model APIs take it for the arguments of a function. */
export type ModelSchema = {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
};

/** A server's schema for a model, and in which places it says something else than the server's. */
export interface ModelSchemaConversion {
  readonly schema: ModelSchema;
  /** What model APIs refuse, and what had to take its place; at most 50. */
  readonly repairs: readonly SchemaLoss[];
}

const LONGEST_TEXT = 2_000;
/** Definitions that lie inside of each other are written out once each. */
const MOST_SCHEMAS = 40_000;

/** Keywords whose members are named schemas. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Keywords that hold one schema, and those that hold a list of schemas. */
const ONE = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const DATA = new Set(['default', 'examples', 'enum', 'const']);
/** They tell a model nothing, and some APIs refuse them. What refers to an address of the schema has been resolved. */
const LEFT_OUT = new Set([
  '$schema',
  '$comment',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$vocabulary',
  '$defs',
  'definitions',
  '$ref',
  'additionalItems',
]);

/**
 * A server's schema for a model: the same keywords, with its texts bounded and free of control sequences, names that model
 * APIs accept, and without what makes one of them refuse the whole request. References lead to `$defs`.
 */
export function modelSchema(
  root: JsonObject,
  names: ShownNames,
  references: References,
): ModelSchemaConversion {
  return new Converter(names, references).convert(root);
}

class Converter {
  readonly #report = new LossReport();
  #schemas = 0;
  readonly #names: ShownNames;
  readonly #definitions: Definitions;

  constructor(names: ShownNames, references: References) {
    this.#names = names;
    this.#definitions = createDefinitions(references);
  }

  convert(root: JsonObject): ModelSchemaConversion {
    const flat = this.#withoutRootReference(root);
    const { properties, required, ...rest } = this.#object(flat, '');
    const definitions: Record<string, unknown> = {};
    for (let next = this.#definitions.next(); next !== undefined; next = this.#definitions.next()) {
      definitions[next.name] = this.schema(next.schema, next.pointer);
    }
    const schema: ModelSchema = {
      ...rest,
      type: 'object',
      properties: isRecord(properties) ? properties : {},
      ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
      ...(Object.keys(definitions).length > 0 && { $defs: definitions }),
    };
    return { schema, repairs: this.#report.losses };
  }

  /** A reference at the root says what the arguments are: APIs look at the root itself. */
  #withoutRootReference(root: JsonObject): JsonObject {
    let schema = root;
    const seen = new Set<Json>();
    for (let reference = schema['$ref']; typeof reference === 'string'; reference = schema['$ref']) {
      const target = this.#definitions.resolve(reference);
      if (target === undefined || seen.has(target.schema) || !isJsonObject(target.schema)) break;
      seen.add(target.schema);
      this.#report.add('$ref', '', 'the root of a schema for a model has no reference');
      const { $ref: _, ...own } = schema;
      const properties = { ...asObject(target.schema['properties']), ...asObject(own['properties']) };
      const required = [...asList(target.schema['required']), ...asList(own['required'])];
      schema = {
        ...target.schema,
        ...own,
        properties,
        ...(required.length > 0 && { required }),
      };
    }
    return schema;
  }

  schema(value: Json | undefined, pointer: string): unknown {
    if (++this.#schemas > MOST_SCHEMAS) {
      this.#report.add('$ref', pointer, 'its definitions unfold to too much, so that anything goes');
      return {};
    }
    if (value === true) return {};
    if (value === false) return { not: {} };
    if (isJsonObject(value)) return this.#reference(value, pointer) ?? this.#object(value, pointer);
    this.#report.add('', pointer, 'it is not a schema, so that anything goes');
    return {};
  }

  /** A reference stands alone: next to other keywords some APIs refuse it. */
  #reference(node: JsonObject, pointer: string): Record<string, unknown> | undefined {
    const reference = node['$ref'];
    if (typeof reference !== 'string') return undefined;
    const name = this.#definitions.nameFor(reference);
    const { $ref: _, ...rest } = node;
    const siblings = this.#object(rest, pointer);
    if (name === undefined) {
      this.#report.add(
        '$ref',
        pointer,
        'it leads outside of the schema and is not fetched, so that anything goes',
      );
      const note = `Not described here: see ${escapeText(reference, { maxLength: 200 })}.`;
      const { description } = siblings;
      return { ...siblings, description: typeof description === 'string' ? `${description} ${note}` : note };
    }
    const target = `#/$defs/${name}`;
    if (reference !== target) this.#report.add('$ref', pointer, 'it has to lead to $defs');
    if (Object.keys(siblings).length === 0) return { $ref: target };
    this.#report.add('$ref', pointer, 'it cannot stand next to other keywords');
    return 'anyOf' in siblings
      ? { ...siblings, allOf: [{ $ref: target }] }
      : { ...siblings, anyOf: [{ $ref: target }] };
  }

  #object(node: JsonObject, pointer: string): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (LEFT_OUT.has(keyword) || !/^[\w$.:/-]{1,64}$/.test(keyword)) continue;
      const usable = usableKeyword(keyword, value, node);
      if (usable !== value) this.#report.add(keyword, pointer, 'it is not what JSON Schema says');
      if (usable !== undefined) this.#keyword(result, keyword, usable, pointer);
    }
    this.#lists(result, node, pointer);
    return result;
  }

  #keyword(result: Record<string, unknown>, keyword: string, value: Json, pointer: string): void {
    const at = `${pointer}/${keyword}`;
    if ((keyword === 'description' || keyword === 'title') && typeof value === 'string') {
      result[keyword] = sanitizeText(value, { maxLength: LONGEST_TEXT, multiline: true });
    } else if (keyword === 'required') {
      result[keyword] = textsOf(value).map((name) => this.#names.property(name));
    } else if (keyword === 'pattern' && typeof value === 'string') {
      result[keyword] = this.#names.pattern(value);
    } else if (keyword === 'dependentRequired') {
      const members = Object.entries(asObject(value)).map(([name, list]): [string, unknown] => [
        this.#names.property(name),
        textsOf(list).map((each) => this.#names.property(each)),
      ]);
      result[keyword] = Object.fromEntries(members);
    } else if (DATA.has(keyword)) {
      result[keyword] = ordinaryCopy(this.#names.value(value));
    } else if (keyword === 'additionalProperties' && typeof value === 'boolean') {
      result[keyword] = value;
    } else if (keyword === 'items' && Array.isArray(value)) {
      result['prefixItems'] = value.map((element: Json, index) => this.schema(element, `${at}/${index}`));
    } else if (ONE.has(keyword)) {
      result[keyword] = this.schema(value, at);
    } else if (LIST.has(keyword)) {
      result[keyword] = asList(value).map((element, index) => this.schema(element, `${at}/${index}`));
    } else if (NAMED.has(keyword)) {
      result[keyword] = this.#members(keyword, asObject(value), pointer);
    } else {
      result[keyword] = ordinaryCopy(this.#names.value(value));
    }
  }

  #members(keyword: string, members: JsonObject, pointer: string): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(members).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
        const at = pointer + pointerOf([keyword, name]);
        if (keyword === 'patternProperties') return [[this.#names.pattern(name), this.schema(member, at)]];
        // A member that must not be there is one that a model need not know.
        if (keyword === 'properties' && member === false) return [];
        const shown = this.#names.property(name);
        if (shown === name) return [[name, this.schema(member, at)]];
        this.#report.add(keyword, pointer, `the name of a member is shown as "${shown}"`);
        return [[shown, this.#named(name, this.schema(member, at))]];
      }),
    );
  }

  /** Says what the server calls it: the name that the model sees may tell nothing. */
  #named(name: string, schema: unknown): unknown {
    if (!isRecord(schema) || '$ref' in schema) return schema;
    const own = `"${escapeText(name, { maxLength: 100 })}"`;
    const { description } = schema;
    return { ...schema, description: typeof description === 'string' ? `${own}: ${description}` : own };
  }

  /** A list needs `items`, one schema; without it OpenAI refuses the whole request, strict or not. */
  #lists(result: Record<string, unknown>, node: JsonObject, pointer: string): void {
    const first = result['prefixItems'];
    const isList =
      result['type'] === 'array' || (Array.isArray(result['type']) && result['type'].includes('array'));
    if (!isList && !Array.isArray(first)) return;
    if (Array.isArray(first)) {
      const rest = Array.isArray(node['items']) ? node['additionalItems'] : node['items'];
      const length = first.length;
      if (Array.isArray(node['items']))
        this.#report.add('items', pointer, 'a list of schemas is prefixItems');
      if (rest === false) {
        this.#report.add('items', pointer, 'it has to be a schema and not false');
        result['maxItems'] ??= length;
        result['items'] =
          length === 1
            ? first[0]
            : { anyOf: [...new Map(first.map((each) => [JSON.stringify(each), each])).values()] };
        return;
      }
      if (isSchema(rest)) {
        result['items'] = this.schema(rest, `${pointer}/items`);
        return;
      }
    }
    if (result['items'] !== undefined) return;
    this.#report.add('items', pointer, 'a list needs it');
    result['items'] = {};
  }
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const textsOf = (value: Json): readonly string[] => asList(value).filter((each) => typeof each === 'string');

/** With ordinary prototypes. */
const ordinaryCopy = (value: Json): unknown => JSON.parse(JSON.stringify(value));

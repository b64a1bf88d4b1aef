import { isRecord } from '@mcp-fittings/toolbox/messages';
import { escapeText, sanitizeText } from '@mcp-fittings/toolbox/text';
import { SchemaDifferences, type SchemaDifference } from '../schema/schema-differences.js';
import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { References } from '../schema/references.js';
import { DRAFT, draftOf, knows, type Draft } from '../schema/dialect.js';
import {
  isSchema,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
} from '../schema/subschemas.js';
import { formatPointer } from '../json/json-pointer.js';
import { Definitions } from './definitions.js';
import { originalArguments } from './original-arguments.js';
import { repairKeyword } from './repair-keyword.js';
import { PropertyAliases, visiblePattern } from './property-aliases.js';

/** A JSON Schema for the arguments of a tool that model APIs accept. */
export type ModelSchema = {
  /** The arguments of a tool are always an object. */
  type: 'object';
  /** The schemas of the arguments, by name. */
  properties: Record<string, unknown>;
  /** The names of the arguments that the model must pass. */
  required?: string[];
  /** Every other keyword of JSON Schema. */
  [keyword: string]: unknown;
};

/** A schema for a model, with the places where it differs from the server's schema. */
export interface ModelSchemaConversion {
  readonly schema: ModelSchema;
  /** Parts that were replaced because model APIs reject them, at most 50. */
  readonly repairs: readonly SchemaDifference[];
  /** Converts arguments with the names of `schema` to the names that the server uses. Undefined if those are the same. */
  readonly originalArguments:
    ((args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) | undefined;
}

const MAX_TEXT_LENGTH = 2_000;
/** Nested definitions are expanded once each, which could otherwise grow without end. */
const MAX_SCHEMAS = 40_000;

const DATA = new Set(['default', 'examples', 'enum', 'const']);
/** Keywords that tell a model nothing and that some APIs reject. References have been resolved before. */
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
  '__proto__',
]);

const UNSUPPORTED_REFERENCES = new Set(['$dynamicRef', '$recursiveRef']);

/**
 * Converts a server's schema for model APIs. The keywords stay the same; texts are truncated and free of control sequences,
 * property names are ones that the APIs accept, references lead to `$defs`, and whatever makes an API reject the whole request
 * is repaired.
 */
export function modelSchema(root: JsonObject): ModelSchemaConversion {
  const aliases = new PropertyAliases(root);
  const references = new References(root);
  const converted = new Converter(aliases, references, draftOf(root['$schema']) ?? DRAFT.v2020).convert(root);
  return {
    ...converted,
    // Most schemas show a model no other name or value than the server's.
    originalArguments: aliases.used
      ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not JSON stays as it is
        (args) => originalArguments(args as JsonObject, root, aliases, references)
      : undefined,
  };
}

class Converter {
  readonly #differences = new SchemaDifferences();
  #schemas = 0;
  readonly #aliases: PropertyAliases;
  readonly #definitions: Definitions;
  readonly #draft: Draft;

  constructor(aliases: PropertyAliases, references: References, draft: Draft) {
    this.#aliases = aliases;
    this.#draft = draft;
    this.#definitions = new Definitions(references);
  }

  convert(root: JsonObject): Omit<ModelSchemaConversion, 'originalArguments'> {
    const flat = this.#withoutRootReference(root);
    const { properties, required, ...rest } = this.#object(flat, '');
    const definitions: [string, unknown][] = [];
    for (let next = this.#definitions.next(); next !== undefined; next = this.#definitions.next()) {
      definitions.push([next.name, this.schema(next.schema, next.pointer)]);
    }
    const schema: ModelSchema = {
      ...rest,
      type: 'object',
      properties: isRecord(properties) ? properties : {},
      ...(Array.isArray(required) && { required: required.filter((name) => typeof name === 'string') }),
      ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
    };
    return { schema, repairs: this.#differences.list };
  }

  /** Replaces a reference at the root by its target, because APIs read only the root itself. */
  #withoutRootReference(root: JsonObject): JsonObject {
    const chain = new Set([root]);
    for (let last = root; typeof last['$ref'] === 'string';) {
      const target = this.#definitions.resolve(last['$ref'])?.schema;
      this.#differences.add('$ref', '', 'model APIs accept no reference at the root');
      if (!isJsonObject(target) || chain.has(target)) break;
      chain.add(target);
      last = target;
    }
    if (chain.size === 1) return root;
    // What is next to a reference replaces what is where it leads.
    const parts = [...chain].toReversed();
    const merge = (objects: readonly JsonObject[]): JsonObject =>
      Object.fromEntries(objects.flatMap((each) => Object.entries(each)));
    const required = parts.flatMap((part) => asList(part['required']));
    return {
      ...merge(parts),
      properties: merge(parts.map((part) => asObject(part['properties']))),
      ...(required.length > 0 && { required }),
    };
  }

  schema(value: Json | undefined, pointer: string): unknown {
    if (++this.#schemas > MAX_SCHEMAS) {
      this.#differences.add(
        '$ref',
        pointer,
        'its definitions expand to too many schemas, so any value is accepted',
      );
      return {};
    }
    if (value === true) return {};
    if (value === false) return { not: {} };
    if (isJsonObject(value)) return this.#reference(value, pointer) ?? this.#object(value, pointer);
    this.#differences.add('', pointer, 'it is not a schema, so any value is accepted');
    return {};
  }

  /** Writes a reference as the only keyword of its schema, because some APIs reject it next to others. */
  #reference(node: JsonObject, pointer: string): Record<string, unknown> | undefined {
    const reference = node['$ref'];
    if (typeof reference !== 'string') return undefined;
    const name = this.#definitions.nameFor(reference);
    const { $ref: _, ...rest } = node;
    const siblings = this.#object(rest, pointer);
    if (name === undefined) {
      this.#differences.add(
        '$ref',
        pointer,
        'it leads to another document and is not fetched, so any value is accepted',
      );
      const note = `Not described here: see ${escapeText(reference, { maxLength: 200 })}.`;
      const { description } = siblings;
      return { ...siblings, description: typeof description === 'string' ? `${description} ${note}` : note };
    }
    const target = `#/$defs/${name}`;
    if (reference !== target)
      this.#differences.add('$ref', pointer, 'model APIs accept only references to $defs');
    if (Object.keys(siblings).length === 0) return { $ref: target };
    this.#differences.add('$ref', pointer, 'model APIs reject it next to other keywords');
    if (!('anyOf' in siblings)) return { ...siblings, anyOf: [{ $ref: target }] };
    const others: readonly unknown[] = Array.isArray(siblings['allOf']) ? siblings['allOf'] : [];
    return { ...siblings, allOf: [...others, { $ref: target }] };
  }

  #object(node: JsonObject, pointer: string): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const isClosed = node['additionalProperties'] === false && node['patternProperties'] === undefined;
    for (const [keyword, value] of Object.entries(node)) {
      if (UNSUPPORTED_REFERENCES.has(keyword))
        this.#differences.add(keyword, pointer, 'only $ref is followed');
      if (LEFT_OUT.has(keyword) || !/^[\w$.:/-]{1,64}$/.test(keyword)) continue;
      // Its author means it, and the model had better know.
      if (!knows(this.#draft, keyword))
        this.#differences.add(keyword, pointer, 'the draft that $schema names does not have it');
      const usable = repairKeyword(keyword, value, node);
      if (usable !== value) this.#differences.add(keyword, pointer, 'its value is not valid in JSON Schema');
      if (usable !== undefined) this.#keyword(result, keyword, usable, { pointer, isClosed });
    }
    this.#lists(result, node, pointer);
    return result;
  }

  #keyword(
    result: Record<string, unknown>,
    keyword: string,
    value: Json,
    { pointer, isClosed }: { readonly pointer: string; readonly isClosed: boolean },
  ): void {
    const at = `${pointer}/${keyword}`;
    if ((keyword === 'description' || keyword === 'title') && typeof value === 'string') {
      result[keyword] = sanitizeText(value, { maxLength: MAX_TEXT_LENGTH, multiline: true });
    } else if (keyword === 'required') {
      const names = textsOf(value);
      const shown = names.map((name) => this.#aliases.property(name));
      if (names.some((name, index) => name !== shown[index]))
        this.#differences.add(keyword, pointer, 'model APIs reject a name');
      result[keyword] = shown;
    } else if (keyword === 'pattern' && typeof value === 'string') {
      result[keyword] = visiblePattern(value);
    } else if (keyword === 'dependentRequired') {
      const members = Object.entries(asObject(value)).map(([name, list]): [string, unknown] => [
        this.#aliases.property(name),
        textsOf(list).map((each) => this.#aliases.property(each)),
      ]);
      result[keyword] = Object.fromEntries(members);
    } else if (DATA.has(keyword)) {
      result[keyword] = this.#aliases.value(value);
    } else if (keyword === 'additionalProperties' && typeof value === 'boolean') {
      result[keyword] = value;
    } else if (keyword === 'items' && Array.isArray(value)) {
      result['prefixItems'] = value.map((element: Json, index) => this.schema(element, `${at}/${index}`));
    } else if (SCHEMA_KEYWORDS.has(keyword)) {
      result[keyword] = this.schema(value, at);
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      result[keyword] = asList(value).map((element, index) => this.schema(element, `${at}/${index}`));
    } else if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      result[keyword] = this.#members(keyword, asObject(value), pointer, isClosed);
    } else {
      result[keyword] = this.#aliases.value(value);
    }
  }

  #members(
    keyword: string,
    members: JsonObject,
    pointer: string,
    isClosed: boolean,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(members).flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
        const at = pointer + formatPointer([keyword, name]);
        if (keyword === 'patternProperties') return [[visiblePattern(name), this.schema(member, at)]];
        // The model need not know of a member that it must not pass, if it must not pass unknown ones.
        if (keyword === 'properties' && member === false && isClosed) return [];
        const alias = this.#aliases.property(name);
        if (alias === name) return [[name, this.schema(member, at)]];
        this.#differences.add(
          keyword,
          pointer,
          `model APIs reject the name of a property, shown as "${alias}"`,
        );
        return [[alias, this.#named(name, this.schema(member, at))]];
      }),
    );
  }

  /** Prepends the server's name to the description, because the alias may say nothing. */
  #named(name: string, schema: unknown): unknown {
    if (!isRecord(schema) || '$ref' in schema) return schema;
    const own = `"${escapeText(name, { maxLength: 100 })}"`;
    const { description } = schema;
    return { ...schema, description: typeof description === 'string' ? `${own}: ${description}` : own };
  }

  /** Gives every array schema `items`. Without it, OpenAI rejects the whole request, strict or not. */
  #lists(result: Record<string, unknown>, node: JsonObject, pointer: string): void {
    const first = result['prefixItems'];
    const isList =
      result['type'] === 'array' || (Array.isArray(result['type']) && result['type'].includes('array'));
    if (!isList && !Array.isArray(first)) return;
    if (Array.isArray(first)) {
      const rest = Array.isArray(node['items']) ? node['additionalItems'] : node['items'];
      const length = first.length;
      if (Array.isArray(node['items']))
        this.#differences.add('items', pointer, 'an array of schemas belongs to prefixItems');
      if (rest === false) {
        this.#differences.add('items', pointer, 'model APIs require a schema instead of false');
        result['maxItems'] = Math.min(
          length,
          typeof result['maxItems'] === 'number' ? result['maxItems'] : length,
        );
        // No element is left for it. To describe those of the tuple again would double them at each level.
        result['items'] = {};
        return;
      }
      if (Array.isArray(node['items']) && isSchema(rest))
        result['items'] = this.schema(rest, `${pointer}/items`);
    }
    if (result['items'] !== undefined) return;
    this.#differences.add('items', pointer, 'model APIs require it for an array');
    result['items'] = {};
  }
}

const asObject = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});
const asList = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const textsOf = (value: Json): readonly string[] => asList(value).filter((each) => typeof each === 'string');

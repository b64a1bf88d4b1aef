import {
  isJsonObject,
  type Json,
  type JsonObject,
  ALL_TYPES,
  JSON_TYPES,
  jsonTypeOf,
  type JsonType,
} from '../json/copy-json.js';
import { formatPointer } from '../json/json-pointer.js';
import { DRAFT, draftOf, knows, type Draft } from '../schema/dialect.js';
import { References } from '../schema/references.js';
import { SchemaDifferences, type SchemaDifference } from '../schema/schema-differences.js';
import { isSchema, type Schema } from '../schema/subschemas.js';
import { ANY_TYPE, declaredType } from '../schema-to-zod/allowed-values.js';
import { cutCycles, limitBranches } from './finite-types.js';
import { stringLiteral } from './source-text.js';
import {
  intersectionOf,
  isUnknown,
  NEVER,
  plain,
  unionOf,
  UNKNOWN,
  type Definition,
  type ObjectType,
  type PropertyType,
  type ReferenceType,
  type TypeNode,
} from './type-node.js';

export interface SchemaTypeOptions {
  /** If true, every value is an object, as the arguments of a tool are. */
  readonly isObject: boolean;
  /** If true, a property that is not listed is an error, although the schema allows it. */
  readonly closed: boolean;
}

/** A schema as a type: the first definition is the whole, and the others are what its references lead to. */
export interface SchemaType {
  readonly definitions: readonly [Definition, ...Definition[]];
  /** Places where the type accepts more than the schema. It never accepts less. */
  readonly differences: readonly SchemaDifference[];
}

const OBJECT: ReadonlySet<JsonType> = new Set<JsonType>(['object']);

/** Further references are `unknown`. A compiler follows them one after the other. */
const MAX_DEFINITIONS = 300;
/** A longer tuple is an array. */
const MAX_TUPLE = 100;

const ARRAY_KEYWORDS = ['items', 'prefixItems', 'additionalItems'];
const OBJECT_KEYWORDS = ['properties', 'required', 'additionalProperties', 'patternProperties'];
/** Keywords that say what no type can. */
const UNEXPRESSED = [
  'not',
  'if',
  'contains',
  'propertyNames',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
];
/** TypeScript finds these properties in every object, so that an optional one has to accept what it finds. */
const INHERITED: ReadonlySet<string> = new Set([
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
]);

/** Half of a surrogate pair, which compilers that store UTF-8 cannot tell from another one. */
const BROKEN = /\p{Cs}/u;

/** An object of which nothing is known. */
export const ANY_OBJECT: ObjectType = { kind: 'object', properties: [], index: UNKNOWN };

/** Converts a schema that is within the limits, with time and size that grow as the schema does. */
export function schemaType(root: JsonObject, options: SchemaTypeOptions): SchemaType {
  const draft = draftOf(root['$schema']);
  if (draft === undefined) {
    const type = options.isObject ? ANY_OBJECT : UNKNOWN;
    const reason = 'it names a dialect that is not supported';
    return {
      definitions: [{ pointer: '', schema: root, type, name: '' }],
      differences: [{ keyword: '$schema', pointer: '', reason }],
    };
  }
  const converter = new Converter(root, options, draft);
  const definitions = converter.document();
  cutCycles(definitions, (pointer) =>
    converter.differences.add('$ref', pointer, 'it leads back to itself, so any value is accepted'),
  );
  limitBranches(definitions, (pointer) =>
    converter.differences.add('allOf', pointer, 'there are too many combinations, so a part is not checked'),
  );
  return { definitions, differences: converter.differences.list };
}

class Converter {
  readonly differences = new SchemaDifferences();
  readonly #root: JsonObject;
  readonly #options: SchemaTypeOptions;
  readonly #references: References;
  readonly #draft: Draft;
  readonly #known = new Map<string, Definition>();
  readonly #open: (readonly [Definition, Schema])[] = [];

  constructor(root: JsonObject, options: SchemaTypeOptions, draft: Draft) {
    this.#root = root;
    this.#options = options;
    this.#references = new References(root);
    this.#draft = draft;
  }

  document(): [Definition, ...Definition[]] {
    const { isObject } = this.#options;
    const root: Definition = { pointer: '', schema: this.#root, type: UNKNOWN, name: '' };
    // Where a reference leads to the root, the value may be something else than an object, if the schema does not say so.
    if (!isObject || this.#root['type'] === 'object') this.#known.set('', root);
    const definitions: [Definition, ...Definition[]] = [root];
    const type = this.#type(this.#root, '', isObject ? OBJECT : ALL_TYPES);
    root.type = isObject && isUnknown(type) ? ANY_OBJECT : type;
    for (let next = this.#open.shift(); next !== undefined; next = this.#open.shift()) {
      const [definition, schema] = next;
      definition.type = this.#type(schema, definition.pointer, ALL_TYPES);
      definitions.push(definition);
    }
    return definitions;
  }

  /** `surroundings` are the types that are possible at this place. What it adds to them is the result. */
  #type(schema: Schema, pointer: string, surroundings: ReadonlySet<JsonType>): TypeNode {
    if (schema === true) return UNKNOWN;
    if (schema === false) return NEVER;
    const reference = this.#reference(schema, pointer);
    // Up to draft-07, keywords next to a reference are ignored.
    if (reference !== undefined && this.#draft <= DRAFT.v7) return reference;
    this.#noteUnexpressed(schema, pointer);
    const declared = declaredType(schema) ?? ANY_TYPE;
    const types = new Set(JSON_TYPES.filter((type) => surroundings.has(type) && declared.types.has(type)));
    const parts = [
      ...(reference === undefined ? [] : [reference]),
      this.#own(schema, pointer, types, declared.explicit),
      ...this.#combinations(schema, pointer, types),
    ];
    const { not } = schema;
    if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return NEVER;
    const type = intersectionOf(parts);
    // OpenAPI 3.0 writes it so; JSON Schema does not know the keyword.
    return schema['nullable'] === true && !declared.types.has('null') ? unionOf([type, plain('null')]) : type;
  }

  /** Converts `enum` and `const`, or else `type` and the keywords that apply to one type. */
  #own(schema: JsonObject, pointer: string, types: ReadonlySet<JsonType>, explicit: boolean): TypeNode {
    const values = listedValues(schema, this.#draft);
    if (values !== undefined) {
      const possible = values.filter((value) => types.has(jsonTypeOf(value)));
      return unionOf(possible.map((value) => this.#literal(value)));
    }
    const constrained = constrains(schema, types);
    if (!explicit && !constrained) return UNKNOWN;
    if (types.size === JSON_TYPES.length && !constrained) return UNKNOWN;
    return unionOf(Array.from(types, (type) => this.#ofType(type, schema, pointer)));
  }

  #ofType(type: JsonType, schema: JsonObject, pointer: string): TypeNode {
    if (type === 'object') return this.#object(schema, pointer);
    if (type === 'array') return this.#array(schema, pointer);
    return plain(type);
  }

  #object(schema: JsonObject, pointer: string): TypeNode {
    const required = new Set(namesIn(schema['required']));
    const members = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const properties: PropertyType[] = [];
    let unlisted = false;
    for (const [name, member] of Object.entries(members)) {
      const at = pointer + formatPointer(['properties', name]);
      if (BROKEN.test(name)) {
        this.differences.add('properties', at, 'its name is not valid Unicode');
        unlisted = true;
        continue;
      }
      const optional = !required.delete(name);
      const type = isSchema(member) ? this.#type(member, at, ALL_TYPES) : UNKNOWN;
      if (optional && INHERITED.has(name) && !isUnknown(type))
        this.differences.add('properties', at, 'every object has a property of this name');
      properties.push({
        name,
        optional,
        type: optional && INHERITED.has(name) ? UNKNOWN : type,
        schema: isJsonObject(member) ? member : undefined,
      });
    }
    for (const name of required) {
      if (BROKEN.test(name)) unlisted = true;
      else properties.push({ name, optional: false, type: UNKNOWN, schema: undefined });
    }
    const index = unlisted ? UNKNOWN : this.#index(schema, pointer, properties);
    return { kind: 'object', properties, index };
  }

  /** Returns the type of every property that is not listed. It has to accept the listed ones too. */
  #index(schema: JsonObject, pointer: string, properties: readonly PropertyType[]): TypeNode | undefined {
    const { additionalProperties: others, patternProperties } = schema;
    const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : [];
    if (!isSchema(others)) {
      const isClosed = this.#options.closed && properties.length > 0 && patterns.length === 0;
      return isClosed ? undefined : UNKNOWN;
    }
    if (others === true) return UNKNOWN;
    if (others === false && patterns.length === 0) return undefined;
    const types = patterns.map(([pattern, inner]) =>
      isSchema(inner)
        ? this.#type(inner, pointer + formatPointer(['patternProperties', pattern]), ALL_TYPES)
        : UNKNOWN,
    );
    if (patterns.length > 0)
      this.differences.add('patternProperties', pointer, 'a type has no names that match a pattern');
    if (others !== false) types.push(this.#type(others, `${pointer}/additionalProperties`, ALL_TYPES));
    if (properties.length === 0) return unionOf(types);
    this.differences.add(
      'additionalProperties',
      pointer,
      'an index signature applies to listed properties too',
    );
    const all = unionOf([...types, ...properties.map(({ type }) => type), plain('undefined')]);
    return isShort(all) ? all : UNKNOWN;
  }

  #array(schema: JsonObject, pointer: string): TypeNode {
    const modern = schema['prefixItems'] !== undefined && knows(this.#draft, 'prefixItems');
    const [firstKeyword, restKeyword] = modern ? ['prefixItems', 'items'] : ['items', 'additionalItems'];
    const first = schema[firstKeyword];
    if (isSchema(first) && !modern)
      return { kind: 'array', element: this.#type(first, `${pointer}/items`, ALL_TYPES) };
    if (!Array.isArray(first) || first.length === 0) return { kind: 'array', element: UNKNOWN };
    if (first.length > MAX_TUPLE) {
      this.differences.add(firstKeyword, pointer, `it has more than ${MAX_TUPLE} elements`);
      return { kind: 'array', element: UNKNOWN };
    }
    const elements = first.map((element: Json, index) =>
      isSchema(element) ? this.#type(element, `${pointer}/${firstKeyword}/${index}`, ALL_TYPES) : UNKNOWN,
    );
    // 2020-12 has neither an array of `items` nor `additionalItems`.
    const rest = modern || this.#draft <= DRAFT.v2019 ? schema[restKeyword] : undefined;
    return {
      kind: 'tuple',
      elements,
      required: Math.min(elements.length, countOf(schema['minItems'])),
      rest:
        rest === false
          ? undefined
          : isSchema(rest)
            ? this.#type(rest, `${pointer}/${restKeyword}`, ALL_TYPES)
            : UNKNOWN,
    };
  }

  #combinations(schema: JsonObject, pointer: string, types: ReadonlySet<JsonType>): readonly TypeNode[] {
    const branches = (keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly TypeNode[] | undefined => {
      const value = schema[keyword];
      if (!Array.isArray(value) || value.length === 0 || !value.every(isSchema)) return undefined;
      return value.map((branch, index) => this.#type(branch, `${pointer}/${keyword}/${index}`, types));
    };
    const one = branches('oneOf');
    if (one !== undefined && one.length > 1)
      this.differences.add('oneOf', pointer, 'the type accepts a value that matches several of them');
    const any = branches('anyOf');
    return [
      ...(branches('allOf') ?? []),
      ...(any === undefined ? [] : [unionOf(any)]),
      ...(one === undefined ? [] : [unionOf(one)]),
    ];
  }

  #reference(schema: JsonObject, pointer: string): ReferenceType | undefined {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return undefined;
    // With an embedded $id, a fragment may mean several parts.
    const target = this.#references.ambiguous ? undefined : this.#references.resolve($ref);
    if (target === undefined) {
      const reason = $ref.startsWith('#')
        ? 'it leads nowhere'
        : 'it leads to another document and is not fetched';
      this.differences.add('$ref', pointer, `${reason}, so any value is accepted`);
      return { kind: 'reference', definition: NOWHERE, cut: true };
    }
    let definition = this.#known.get(target.pointer);
    if (definition === undefined) {
      if (this.#known.size >= MAX_DEFINITIONS) {
        this.differences.add('$ref', pointer, `it is one of more than ${MAX_DEFINITIONS} references`);
        return { kind: 'reference', definition: NOWHERE, cut: true };
      }
      const { schema: part } = target;
      definition = {
        pointer: target.pointer,
        schema: isJsonObject(part) ? part : undefined,
        type: UNKNOWN,
        name: '',
      };
      this.#known.set(target.pointer, definition);
      this.#open.push([definition, part]);
    }
    return { kind: 'reference', definition, cut: false };
  }

  /** Objects and arrays too: a schema may list them as values. */
  #literal(value: Json): TypeNode {
    if (typeof value === 'string') return BROKEN.test(value) ? plain('string') : plain(stringLiteral(value));
    if (Array.isArray(value)) {
      if (value.length > MAX_TUPLE) return { kind: 'array', element: UNKNOWN };
      const elements = value.map((element: Json) => this.#literal(element));
      return { kind: 'tuple', elements, required: elements.length, rest: undefined };
    }
    if (!isJsonObject(value)) return plain(JSON.stringify(value));
    const entries = Object.entries(value).filter(([name]) => !BROKEN.test(name));
    return {
      kind: 'object',
      properties: entries.map(([name, member]) => ({
        name,
        optional: false,
        type: this.#literal(member),
        schema: undefined,
      })),
      index: entries.length === Object.keys(value).length ? undefined : UNKNOWN,
    };
  }

  #noteUnexpressed(schema: JsonObject, pointer: string): void {
    for (const keyword of UNEXPRESSED)
      if (schema[keyword] !== undefined && knows(this.#draft, keyword))
        this.differences.add(keyword, pointer, 'a type cannot express it');
  }
}

const NOWHERE: Definition = { pointer: '', schema: undefined, type: UNKNOWN, name: '' };

function listedValues(schema: JsonObject, draft: Draft): readonly Json[] | undefined {
  const { enum: values, const: value } = schema;
  if (value !== undefined && knows(draft, 'const')) return [value];
  return Array.isArray(values) && values.length > 0 ? values : undefined;
}

function constrains(schema: JsonObject, types: ReadonlySet<JsonType>): boolean {
  const has = (keyword: string): boolean => schema[keyword] !== undefined;
  return (
    (types.has('object') && OBJECT_KEYWORDS.some(has)) || (types.has('array') && ARRAY_KEYWORDS.some(has))
  );
}

const namesIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];

const countOf = (value: Json | undefined): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0;

const isPlainKeyword = (type: TypeNode): boolean => type.kind === 'plain';

/** Returns whether a type is short enough to be written for each index signature. */
const isShort = (type: TypeNode): boolean =>
  type.kind === 'plain' ||
  (type.kind === 'union' && type.members.length <= 6 && type.members.every(isPlainKeyword));

import { FittingsError } from '@mcp-fittings/client-core';
import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import type { References } from '../schema/references.js';
import { isSchema, type Schema } from '../schema/subschemas.js';
import { propertyNames, type PropertyAliases } from './property-aliases.js';

/** Schemas that are visited for one call. A hostile one could expand without end. */
const MAX_VISITS = 1_000_000;
const IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
const IN_PLACE_ONE = ['if', 'then', 'else'];

/**
 * Replaces the aliases of properties and values by what the server calls them. Only properties and values of the schema are
 * replaced; anything else stays what the model said.
 */
export function originalArguments(
  args: JsonObject,
  schema: JsonObject,
  aliases: PropertyAliases,
  references: References,
): JsonObject {
  const restored = new Restorer(aliases, references).restore(args, [schema]);
  return isJsonObject(restored) ? restored : args;
}

/** The values that a schema names. */
interface KnownValues {
  /** Their JSON. */
  readonly own: ReadonlySet<string>;
  /** The values by the JSON of what the model is shown. */
  readonly shown: ReadonlyMap<string, Json>;
}

class Restorer {
  readonly #aliases: PropertyAliases;
  readonly #references: References;
  readonly #values = new Map<JsonObject, KnownValues>();
  #visits = 0;

  constructor(aliases: PropertyAliases, references: References) {
    this.#aliases = aliases;
    this.#references = references;
  }

  restore(value: Json, schemas: readonly Schema[]): Json {
    const nodes = this.#inPlace(schemas);
    if (nodes.length === 0) return value;
    const known = this.#knownValue(value, nodes);
    if (known !== undefined) return known;
    if (isJsonObject(value)) return this.#object(value, nodes);
    if (!Array.isArray(value)) return value;
    return value.map((element: Json, index) => {
      this.#count(nodes.length);
      return this.restore(element, elementSchemas(nodes, index));
    });
  }

  #object(value: JsonObject, nodes: readonly JsonObject[]): JsonObject {
    const properties = new Map<string, Schema[]>();
    for (const node of nodes) {
      const members = isJsonObject(node['properties']) ? node['properties'] : {};
      for (const name of propertyNames(node)) {
        this.#count();
        const schemas = properties.get(name) ?? [];
        const member = Object.hasOwn(members, name) ? members[name] : undefined;
        if (isSchema(member)) schemas.push(member);
        properties.set(name, schemas);
      }
    }
    const originals = new Map(Array.from(properties.keys(), (name) => [this.#aliases.property(name), name]));
    const others = nodes.flatMap((node) => [
      ...(isSchema(node['additionalProperties']) ? [node['additionalProperties']] : []),
      ...(isJsonObject(node['patternProperties'])
        ? Object.values(node['patternProperties']).filter((schema) => isSchema(schema))
        : []),
    ]);
    const result: Record<string, Json> = Object.create(null);
    for (const [key, member] of Object.entries(value)) {
      const name = properties.has(key) ? key : (originals.get(key) ?? key);
      // If the model passed both spellings, the server's own counts.
      if (name !== key && Object.hasOwn(value, name)) continue;
      result[name] = this.restore(member, properties.get(name) ?? others);
    }
    return result;
  }

  /** Returns the value of the schema whose escaped form the model passed. */
  #knownValue(value: Json, nodes: readonly JsonObject[]): Json | undefined {
    const known = nodes.map((node) => this.#valuesOf(node)).filter(({ own }) => own.size > 0);
    if (known.length === 0) return undefined;
    const text = JSON.stringify(value);
    if (known.some(({ own }) => own.has(text))) return undefined;
    return known.find(({ shown }) => shown.has(text))?.shown.get(text);
  }

  /** Returns the values that a schema names. They are escaped once, because the schema may apply to each element of a list. */
  #valuesOf(node: JsonObject): KnownValues {
    const before = this.#values.get(node);
    if (before !== undefined) return before;
    const named = [
      ...(Array.isArray(node['enum']) ? node['enum'] : []),
      ...(Array.isArray(node['examples']) ? node['examples'] : []),
      ...(node['const'] === undefined ? [] : [node['const']]),
      ...(node['default'] === undefined ? [] : [node['default']]),
    ];
    const values: KnownValues = {
      own: new Set(named.map((value: Json) => JSON.stringify(value))),
      // Of two that are shown alike, the first counts.
      shown: new Map(
        named.toReversed().map((value: Json) => [JSON.stringify(this.#aliases.value(value)), value]),
      ),
    };
    this.#values.set(node, values);
    return values;
  }

  /** Returns these schemas and all schemas in them that apply to the same value. */
  #inPlace(schemas: readonly Schema[]): readonly JsonObject[] {
    const seen = new Set<JsonObject>();
    const open = [...schemas];
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      this.#count();
      if (typeof schema === 'boolean' || seen.has(schema)) continue;
      seen.add(schema);
      const reference = schema['$ref'];
      const target = typeof reference === 'string' ? this.#references.resolve(reference) : undefined;
      if (target !== undefined) open.push(target.schema);
      for (const keyword of IN_PLACE) {
        const branches = schema[keyword];
        if (Array.isArray(branches)) open.push(...branches.filter((branch: Json) => isSchema(branch)));
      }
      for (const keyword of IN_PLACE_ONE) if (isSchema(schema[keyword])) open.push(schema[keyword]);
      for (const keyword of ['dependentSchemas', 'dependencies']) {
        const members = schema[keyword];
        if (isJsonObject(members)) open.push(...Object.values(members).filter((member) => isSchema(member)));
      }
    }
    return [...seen];
  }

  #count(visits = 1): void {
    this.#visits += visits;
    if (this.#visits <= MAX_VISITS) return;
    throw new FittingsError(
      'ARGUMENTS_INVALID',
      'The arguments are too large to be matched with the schema of the tool.',
      {
        delivery: 'not-sent',
        hint: 'Call the tool again with fewer values.',
      },
    );
  }
}

function elementSchemas(nodes: readonly JsonObject[], index: number): readonly Schema[] {
  return nodes.flatMap((node) => {
    const { items, prefixItems, additionalItems, contains } = node;
    const first = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    const own: Json | undefined = index < first.length ? first[index] : rest;
    return [own, contains].filter((schema) => isSchema(schema));
  });
}

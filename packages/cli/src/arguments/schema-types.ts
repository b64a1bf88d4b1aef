import { isRecord } from '@mcp-fittings/toolbox/messages';
import { decodeComponent } from '@mcp-fittings/toolbox/text';

/** A JSON Schema type, which decides how a string on the command line is converted. */
export type ValueType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';

const TYPES: ReadonlySet<string> = new Set('string integer number boolean array object null'.split(' '));
/** Most references and alternatives that are followed. A schema may refer to itself. */
const MAX_STEPS = 100;

/** A part of a tool's input schema, with the root that its references resolve against. */
export interface SchemaPart {
  readonly root: unknown;
  readonly part: unknown;
}

/** Returns the types that a schema permits; an empty set if it does not say. */
export function typesOf(schema: SchemaPart): ReadonlySet<ValueType> {
  const found = new Set<ValueType>();
  for (const { part } of alternatives(schema)) {
    if (!isRecord(part)) continue;
    for (const value of [part['type']].flat()) if (isValueType(value)) found.add(value);
    const { const: constant, enum: values } = part;
    if (part['type'] !== undefined) continue;
    for (const value of Array.isArray(values) ? values : []) found.add(typeOfValue(value));
    if (constant !== undefined) found.add(typeOfValue(constant));
  }
  return found;
}

/** Returns the schema of an object's property; undefined if the schema does not declare it. */
export function propertyOf(schema: SchemaPart, name: string): SchemaPart | undefined {
  for (const { root, part } of alternatives(schema)) {
    const properties = isRecord(part) ? part['properties'] : undefined;
    if (isRecord(properties) && Object.hasOwn(properties, name)) return { root, part: properties[name] };
  }
  return undefined;
}

/** Returns the names of an object's declared properties. */
export function propertyNames(schema: SchemaPart): readonly string[] {
  return [...alternatives(schema)].flatMap(({ part }) => {
    const properties = isRecord(part) ? part['properties'] : undefined;
    return isRecord(properties) ? Object.keys(properties) : [];
  });
}

/** Returns the schema of a list's items. */
export function itemsOf(schema: SchemaPart): SchemaPart {
  for (const { root, part } of alternatives(schema)) {
    if (isRecord(part) && part['items'] !== undefined) return { root, part: part['items'] };
  }
  return { root: schema.root, part: {} };
}

/** Yields the schema itself, the schemas that it refers to, and each member of its `anyOf`, `oneOf` and `allOf`. */
function* alternatives(schema: SchemaPart): Generator<SchemaPart> {
  const waiting = [schema.part];
  for (let step = 0; waiting.length > 0 && step < MAX_STEPS; step++) {
    const part = waiting.shift();
    yield { root: schema.root, part };
    if (!isRecord(part)) continue;
    if (typeof part['$ref'] === 'string') waiting.push(resolve(schema.root, part['$ref']));
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const members = part[key];
      if (Array.isArray(members)) waiting.push(...members.slice(0, MAX_STEPS));
    }
  }
}

/** Resolves a JSON pointer within the schema; fetches nothing. @see https://www.rfc-editor.org/rfc/rfc6901 */
function resolve(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const key = decodeComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function isValueType(value: unknown): value is ValueType {
  return typeof value === 'string' && TYPES.has(value);
}

function typeOfValue(value: unknown): ValueType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  const type = typeof value;
  return type === 'boolean' || type === 'object' ? type : 'string';
}

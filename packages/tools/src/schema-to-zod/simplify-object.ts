import { knows } from '../schema/dialect.js';
import { formatPointer } from '../json/json-pointer.js';
import type { LinearPattern } from '../schema/linear-pattern.js';
import { type JsonType, isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { readCounts } from './simplify-scalar.js';
import { allOf, anyOf, isNothing, nothing, openInheritedNames, type SimpleSchema } from './simple-schema.js';
import type { Simplifier } from './simplify-schema.js';
import { isSchema } from '../schema/subschemas.js';

const OBJECT: ReadonlySet<JsonType> = new Set<JsonType>(['object']);

/** Reads the keywords that apply to objects. */
export function simplifyObject(node: JsonObject, pointer: string, simplifier: Simplifier): SimpleSchema {
  const simple: SimpleSchema = { type: 'object' };
  const required = readNames(node['required'], 'required', pointer, simplifier);
  const properties = readMembers(node, 'properties', pointer, simplifier);
  readOthers(node, pointer, simplifier, simple);
  for (const name of required) {
    const isDescribed = properties.some(([described]) => described === name);
    if (!isDescribed && name in Object.prototype) properties.push(withAny(name));
  }
  if (properties.length > 0)
    simple.properties = openInheritedNames(properties, pointer, simplifier.differences);
  if (required.length > 0) simple.required = required;
  readCounts(node, pointer, simplifier, simple, ['minProperties', 'maxProperties']);

  const { propertyNames } = node;
  if (isSchema(propertyNames) && propertyNames !== true && knows(simplifier.draft, 'propertyNames')) {
    const names = simplifier.simplify(propertyNames, `${pointer}/propertyNames`, new Set(['string']));
    // Every name is a string. Zod 4 writes this for each record.
    if (Object.keys(names).length > 1 || names.type !== 'string') {
      simple.propertyNames = names;
    }
  }
  if (node['unevaluatedProperties'] !== undefined && knows(simplifier.draft, 'unevaluatedProperties')) {
    simplifier.differences.add('unevaluatedProperties', pointer, 'Zod cannot express it');
  }
  const dependent = dependencies(node, pointer, simplifier);
  return dependent.length === 0 ? simple : allOf([simple, ...dependent]);
}

/** Reads `patternProperties` and `additionalProperties`. */
function readOthers(node: JsonObject, pointer: string, simplifier: Simplifier, simple: SimpleSchema): void {
  const patterns = readMembers(node, 'patternProperties', pointer, simplifier);
  const compiled = new Map<LinearPattern, SimpleSchema>();
  for (const [source, schema] of patterns) {
    const pattern = simplifier.compile(source, `${pointer}/patternProperties`);
    if (pattern !== undefined) compiled.set(pattern, schema);
  }
  if (compiled.size > 0) simple.patternProperties = compiled;
  const others = node['additionalProperties'];
  if (!isSchema(others) || others === true) return;
  if (compiled.size < patterns.length) {
    simplifier.differences.add('additionalProperties', pointer, 'a pattern next to it is not checked');
    return;
  }
  const simplified = simplifier.simplify(others, `${pointer}/additionalProperties`);
  simple.additionalProperties = isNothing(simplified) ? false : simplified;
}

/** Reads `dependentRequired`, `dependentSchemas` and the older `dependencies`: the member is absent, or the rest holds. */
function dependencies(node: JsonObject, pointer: string, simplifier: Simplifier): readonly SimpleSchema[] {
  const parts: SimpleSchema[] = [];
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const members = node[keyword];
    if (members === undefined || !isJsonObject(members) || !knows(simplifier.draft, keyword)) continue;
    for (const [name, demand] of Object.entries(members)) {
      const at = pointer + formatPointer([keyword, name]);
      const absent: SimpleSchema = { type: 'object', properties: Object.fromEntries([[name, nothing()]]) };
      const held = isSchema(demand)
        ? simplifier.simplify(demand, at, OBJECT)
        : requires(readNames(demand, keyword, pointer, simplifier), pointer, simplifier);
      parts.push(anyOf([absent, held]));
    }
  }
  return parts;
}

function requires(names: readonly string[], pointer: string, simplifier: Simplifier): SimpleSchema {
  if (names.length === 0) return {};
  const properties = openInheritedNames(names.map(withAny), pointer, simplifier.differences);
  return { type: 'object', properties, required: [...names] };
}

/** Returns a member with any value. */
const withAny = (name: string): Member => [name, {}];
type Member = readonly [name: string, schema: SimpleSchema];

function readMembers(
  node: JsonObject,
  keyword: 'properties' | 'patternProperties',
  pointer: string,
  simplifier: Simplifier,
): Member[] {
  const members = node[keyword];
  if (members === undefined) return [];
  if (!isJsonObject(members)) {
    simplifier.differences.add(keyword, pointer, 'it is not an object');
    return [];
  }
  const at = `${pointer}/${keyword}`;
  return Object.keys(members).map((name) => {
    const member = members[name];
    if (isSchema(member)) return [name, simplifier.simplify(member, at + formatPointer([name]))];
    simplifier.differences.add(keyword, pointer, 'one of its members is not a schema');
    return withAny(name);
  });
}

function readNames(
  value: Json | undefined,
  keyword: string,
  pointer: string,
  simplifier: Simplifier,
): string[] {
  if (value === undefined) return [];
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  // `required: true` inside a property is draft-03 and a common mistake; it is ignored.
  if (!Array.isArray(value) || names.length < value.length) {
    simplifier.differences.add(keyword, pointer, 'it is not an array of names');
  }
  return names.length < 2 ? names : [...new Set(names)];
}

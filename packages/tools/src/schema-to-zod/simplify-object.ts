import { knows } from '../schema/dialect.js';
import { openInheritedNames } from './zod-workarounds.js';
import { formatPointer } from '../json/json-pointer.js';
import type { JsonType } from '../json/json-types.js';
import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { readCounts } from './simplify-scalar.js';
import { allOf, anyOf, anything, isNothing, noOther, nothing, type SimpleSchema } from './simple-schema.js';
import type { Simplifier } from './simplifier.js';
import { isSchema } from '../schema/subschemas.js';

const OBJECT: ReadonlySet<JsonType> = new Set<JsonType>(['object']);

/** Reads the keywords that apply to objects. */
export function simplifyObject(node: JsonObject, pointer: string, simplifier: Simplifier): SimpleSchema {
  const simple: SimpleSchema = { type: 'object' };
  const required = readNames(node['required'], 'required', pointer, simplifier);
  const properties = readMembers(node, 'properties', pointer, simplifier);
  const schemaOfOther = readOthers(node, pointer, simplifier, simple);
  const { properties: described } = node;
  for (const name of required) {
    // Zod checks only those required names that are among the properties.
    if (!isJsonObject(described) || !Object.hasOwn(described, name)) properties.push([name, schemaOfOther()]);
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
      simplifier.addNamed(simple, pointer);
    }
  }
  if (node['unevaluatedProperties'] !== undefined && knows(simplifier.draft, 'unevaluatedProperties')) {
    simplifier.differences.add('unevaluatedProperties', pointer, 'Zod cannot express it');
  }
  const dependent = dependencies(node, pointer, simplifier);
  return dependent.length === 0 ? simple : allOf([simple, ...dependent]);
}

/** Reads `patternProperties` and `additionalProperties`. Returns a factory for the schema of a member not in `properties`. */
function readOthers(
  node: JsonObject,
  pointer: string,
  simplifier: Simplifier,
  simple: SimpleSchema,
): () => SimpleSchema {
  const patterns = readMembers(node, 'patternProperties', pointer, simplifier);
  const accepted = patterns.filter(([pattern]) =>
    simplifier.acceptsPattern(pattern, `${pointer}/patternProperties`),
  );
  const others = node['additionalProperties'];
  if (accepted.length > 0) simple.patternProperties = Object.fromEntries(accepted);
  if (!isSchema(others) || others === true) return anything;
  if (accepted.length < patterns.length) {
    simplifier.differences.add('additionalProperties', pointer, 'a pattern next to it is not checked');
    return anything;
  }
  if (others === false) {
    simple.additionalProperties = false;
    simplifier.addClosed(simple, pointer);
    if (accepted.length === 0) return nothing;
    return () => {
      simplifier.differences.add(
        'required',
        pointer,
        'a required member may or may not be allowed by a pattern',
      );
      return anything();
    };
  }
  if (accepted.length > 0) {
    simplifier.differences.add(
      'additionalProperties',
      pointer,
      'Zod cannot express it next to patternProperties',
    );
    return anything;
  }
  const simplify = (): SimpleSchema => simplifier.simplify(others, `${pointer}/additionalProperties`);
  const simplified = simplify();
  simple.additionalProperties = isNothing(simplified) ? noOther() : simplified;
  return simplify;
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

/** A member with any value. */
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

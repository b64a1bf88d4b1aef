import { knows } from '../schema/dialect.js';
import { inheritedOpened } from './inherited-names.js';
import { pointerOf } from '../json/json-pointer.js';
import { isJsonObject, type Json, type JsonObject } from '../json/copy-json.js';
import { readCounts } from './simplify-scalar.js';
import {
  allOf,
  anyOf,
  anything,
  isNothing,
  noOther,
  nothing,
  type JsonType,
  type SimpleSchema,
} from './simple-schema.js';
import type { Simplifying } from './simplifier.js';
import { isSchema } from '../schema/subschemas.js';

const OBJECT: ReadonlySet<JsonType> = new Set<JsonType>(['object']);

export function simplifyObject(node: JsonObject, pointer: string, context: Simplifying): SimpleSchema {
  const simple: SimpleSchema = { type: 'object' };
  const required = readNames(node['required'], 'required', pointer, context);
  const described = readMembers(node, 'properties', pointer, context);
  const schemaOfOther = readOthers(node, pointer, context, simple);
  // Zod looks at the required names among the properties only.
  const others = required.filter((name) => !described.some(([known]) => known === name));
  const properties = [...described, ...others.map((name): Member => [name, schemaOfOther()])];
  if (properties.length > 0) simple.properties = inheritedOpened(properties, pointer, context.report);
  if (required.length > 0) simple.required = required;
  readCounts(node, pointer, context, simple, ['minProperties', 'maxProperties']);

  const { propertyNames } = node;
  if (isSchema(propertyNames) && propertyNames !== true && knows(context.draft, 'propertyNames')) {
    simple.propertyNames = context.simplify(propertyNames, `${pointer}/propertyNames`, new Set(['string']));
    context.named(simple, pointer);
  }
  if (node['unevaluatedProperties'] !== undefined && knows(context.draft, 'unevaluatedProperties')) {
    context.report.add('unevaluatedProperties', pointer, 'Zod can not express it');
  }
  return allOf([simple, ...dependencies(node, pointer, context)]);
}

/** `patternProperties` and `additionalProperties`. The result makes the schema of a member that has none of its own. */
function readOthers(
  node: JsonObject,
  pointer: string,
  context: Simplifying,
  simple: SimpleSchema,
): () => SimpleSchema {
  const patterns = readMembers(node, 'patternProperties', pointer, context);
  const accepted = patterns.filter(([pattern]) =>
    context.acceptsPattern(pattern, `${pointer}/patternProperties`),
  );
  const others = node['additionalProperties'];
  if (accepted.length > 0) simple.patternProperties = Object.fromEntries(accepted);
  if (!isSchema(others) || others === true) return anything;
  if (accepted.length < patterns.length) {
    context.report.add('additionalProperties', pointer, 'a pattern next to it is not checked');
    return anything;
  }
  if (others === false) {
    simple.additionalProperties = false;
    context.closed(simple, pointer);
    if (accepted.length === 0) return nothing;
    return () => {
      context.report.add('required', pointer, 'a required member may or may not be allowed by a pattern');
      return anything();
    };
  }
  if (accepted.length > 0) {
    context.report.add('additionalProperties', pointer, 'Zod can not express it next to patternProperties');
    return anything;
  }
  const simplify = (): SimpleSchema => context.simplify(others, `${pointer}/additionalProperties`);
  const simplified = simplify();
  simple.additionalProperties = isNothing(simplified) ? noOther() : simplified;
  return simplify;
}

/** `dependentRequired`, `dependentSchemas` and the older `dependencies`: the member is absent, or the rest holds. */
function dependencies(node: JsonObject, pointer: string, context: Simplifying): readonly SimpleSchema[] {
  const parts: SimpleSchema[] = [];
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
    const members = node[keyword];
    if (!isJsonObject(members) || !knows(context.draft, keyword)) continue;
    for (const [name, demand] of Object.entries(members)) {
      const at = pointer + pointerOf([keyword, name]);
      const absent: SimpleSchema = { type: 'object', properties: Object.fromEntries([[name, nothing()]]) };
      const held = isSchema(demand)
        ? context.simplify(demand, at, OBJECT)
        : requires(readNames(demand, keyword, pointer, context), pointer, context);
      parts.push(anyOf([absent, held]));
    }
  }
  return parts;
}

function requires(names: readonly string[], pointer: string, context: Simplifying): SimpleSchema {
  if (names.length === 0) return {};
  const properties = inheritedOpened(names.map(withAny), pointer, context.report);
  return { type: 'object', properties, required: [...names] };
}

/** A member that may hold anything. */
const withAny = (name: string): Member => [name, {}];
type Member = readonly [name: string, schema: SimpleSchema];

function readMembers(
  node: JsonObject,
  keyword: 'properties' | 'patternProperties',
  pointer: string,
  context: Simplifying,
): readonly Member[] {
  const members = node[keyword];
  if (members === undefined) return [];
  if (!isJsonObject(members)) {
    context.report.add(keyword, pointer, 'it is not an object');
    return [];
  }
  return Object.entries(members).map(([name, member]) => {
    if (isSchema(member)) return [name, context.simplify(member, pointer + pointerOf([keyword, name]))];
    context.report.add(keyword, pointer, 'one of its members is not a schema');
    return withAny(name);
  });
}

function readNames(
  value: Json | undefined,
  keyword: string,
  pointer: string,
  context: Simplifying,
): string[] {
  if (value === undefined) return [];
  const names = Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  // `required: true` inside of a property is draft-03 and a common mistake; it means nothing.
  if (!Array.isArray(value) || names.length < value.length) {
    context.report.add(keyword, pointer, 'it is not a list of names');
  }
  return [...new Set(names)];
}

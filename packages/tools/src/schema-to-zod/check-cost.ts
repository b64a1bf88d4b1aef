import { forEachInnerSchema, type SimpleSchema } from './simple-schema.js';

/** The cost of one check of a value. */
export interface CheckCost {
  /** True if the schema refers to itself without descending into the value, so that a check would never end. */
  readonly endless: boolean;
  /** True if each level of a value may double the work. */
  readonly exponential: boolean;
  /** Maximum number of schemas that are visited for each value of the input. */
  readonly perValue: number;
  /** Maximum number of steps that patterns take for each character of the input. */
  readonly perCharacter: number;
  /** Maximum depth of schemas inside schemas, references followed. */
  readonly depth: number;
}

/** Larger sizes make no difference. */
const MAX_SIZE = 1e9;

/**
 * Estimates what it costs to check a value against a simplified schema. A recursion alone costs no more than its size,
 * because Zod visits each pair of object and schema once in a check. For `contains`, however, it starts a new check each time.
 */
export function checkCost(root: SimpleSchema): CheckCost {
  const { $defs: definitions = {} } = root;
  const all = [root, ...Object.values(definitions)].flatMap(everySchema);
  if (isEndless(all, definitions))
    return { endless: true, exponential: true, perValue: Infinity, perCharacter: Infinity, depth: Infinity };
  const { extent, recursive } = unfold(root, definitions);
  const startsAgain = all.some(
    ({ contains }) => contains !== undefined && everySchema(contains).some((part) => part.$ref !== undefined),
  );
  const { schemas, patterns, depth } = extent;
  return {
    endless: false,
    exponential: recursive && startsAgain,
    perValue: recursive ? schemas.total : visits(schemas),
    perCharacter: recursive ? patterns.total : visits(patterns),
    depth,
  };
}

type Definitions = Readonly<Record<string, SimpleSchema>>;

function isEndless(schemas: readonly SimpleSchema[], definitions: Definitions): boolean {
  const open = new Set<string>();
  const done = new Set<string>();
  const visit = (schema: SimpleSchema): boolean => {
    if ((schema.allOf ?? schema.anyOf ?? schema.oneOf)?.some(visit) === true) return true;
    const { $ref: name } = schema;
    if (name === undefined || done.has(name)) return false;
    if (open.has(name)) return true;
    open.add(name);
    const endless = visit(definitions[name] ?? {});
    open.delete(name);
    done.add(name);
    return endless;
  };
  return schemas.some(visit);
}

/** The sum of a schema, references followed, once per path. */
interface Sum {
  /** Everywhere in it. */
  readonly total: number;
  /** The part that applies to one and the same value: in itself and in its combinations. */
  readonly here: number;
  /** At most for one value inside of that value: two members are different values. */
  readonly inside: number;
}

/** The sums of a schema in schemas and in steps of patterns. */
interface Extent {
  readonly schemas: Sum;
  readonly patterns: Sum;
  readonly depth: number;
}

const NOTHING: Sum = { total: 0, here: 0, inside: 0 };
const UNKNOWN: Extent = { schemas: NOTHING, patterns: NOTHING, depth: 0 };

/** Returns the most that one value of the input is worth. */
const visits = ({ here, inside }: Sum): number => Math.max(here, inside);
const plus = (a: number, b: number): number => Math.min(MAX_SIZE, a + b);

/** Measures the schema with every reference replaced by its definition. */
function unfold(
  root: SimpleSchema,
  definitions: Definitions,
): { readonly extent: Extent; readonly recursive: boolean } {
  const known = new Map<string, Extent>();
  const open = new Set<string>();
  let recursive = false;
  const extentOf = (schema: SimpleSchema): Extent => {
    const { $ref: name } = schema;
    const same = (schema.allOf ?? schema.anyOf ?? schema.oneOf ?? []).map(extentOf);
    if (name !== undefined) same.push(extentOfDefinition(name));
    const { properties = {}, additionalProperties, prefixItems = [], items, patternProperties } = schema;
    const others = [additionalProperties, items].filter((other) => typeof other === 'object');
    // Only one of these applies to each member, and all of those may.
    const either = [...Object.values(properties), ...prefixItems, ...others].map(extentOf);
    const each = [schema.contains, schema.propertyNames, ...(patternProperties?.values() ?? [])].flatMap(
      (inner) => (inner === undefined ? [] : [extentOf(inner)]),
    );
    if (patternProperties !== undefined && typeof additionalProperties === 'object')
      each.push(extentOf(additionalProperties));
    let names = 0;
    for (const { steps } of patternProperties?.keys() ?? []) names += steps;
    const add = (own: number, inside: number, sumOf: (extent: Extent) => Sum): Sum => ({
      total: [...same, ...either, ...each].reduce(
        (sum, inner) => plus(sum, sumOf(inner).total),
        own + inside,
      ),
      here: same.reduce((sum, inner) => plus(sum, sumOf(inner).here), own),
      inside: [
        ...same.map((inner) => sumOf(inner).inside),
        ...each.map((inner) => visits(sumOf(inner))),
        either.reduce((most, inner) => Math.max(most, visits(sumOf(inner))), 0),
      ].reduce(plus, inside),
    });
    return {
      schemas: add(1, 0, ({ schemas }) => schemas),
      patterns: add(schema.pattern?.steps ?? 0, names, ({ patterns }) => patterns),
      depth: [...same, ...either, ...each].reduce((most, inner) => Math.max(most, inner.depth), 0) + 1,
    };
  };
  const extentOfDefinition = (name: string): Extent => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (open.has(name)) {
      recursive = true;
      return UNKNOWN;
    }
    open.add(name);
    const extent = extentOf(definitions[name] ?? {});
    open.delete(name);
    known.set(name, extent);
    return extent;
  };
  return { extent: extentOf(root), recursive };
}

function everySchema(schema: SimpleSchema): readonly SimpleSchema[] {
  const all = [schema];
  for (const one of all) forEachInnerSchema(one, (inner) => void all.push(inner));
  return all;
}

import type { SchemaDifferences } from '../schema/schema-differences.js';
import { anything, forEachInnerSchema, noOther, type SimpleSchema } from './simple-schema.js';

/** Where Zod means something else than JSON Schema, and what a simplified schema says instead. */

/**
 * Replaces the schemas of members such as `constructor`, which Zod sees in every object, and `__proto__`, which it sees in
 * none: they accept anything.
 */
export function openInheritedNames(
  members: readonly (readonly [name: string, schema: SimpleSchema])[],
  pointer: string,
  differences: SchemaDifferences,
): Record<string, SimpleSchema> {
  const isInherited = ([name]: readonly [string, SimpleSchema]): boolean => name in Object.prototype;
  if (!members.some(isInherited)) return Object.fromEntries(members);
  return Object.fromEntries(
    members.map((member) => {
      if (!isInherited(member)) return member;
      const [name] = member;
      differences.add('properties', pointer, `Zod takes ${name} for a member that every object inherits`);
      return [name, anything()];
    }),
  );
}

/** A simplified schema and the JSON Pointer to its original. */
export type LocatedSchema = readonly [schema: SimpleSchema, pointer: string];

/** Returns whether two parts have to hold at once anywhere in the schema. */
export function holdsIntersection(schema: SimpleSchema): boolean {
  let holds = schema.allOf !== undefined;
  if (!holds) forEachInnerSchema(schema, (inner) => (holds ||= holdsIntersection(inner)));
  return holds;
}

/**
 * Rewrites objects for use in an intersection. The intersection of two Zod objects accepts a member that only one of them
 * has, and a name that only one of them allows. `closed` objects therefore say "no other member" in another way, and the
 * `propertyNames` of `named` objects are dropped.
 */
export function closeIntersectedObjects(
  closed: readonly LocatedSchema[],
  named: readonly LocatedSchema[],
  differences: SchemaDifferences,
): void {
  for (const [schema, pointer] of closed) {
    if (schema.patternProperties === undefined) {
      schema.additionalProperties = noOther();
    } else {
      delete schema.additionalProperties;
      differences.add('additionalProperties', pointer, 'Zod cannot express it next to a combination');
    }
  }
  for (const [schema, pointer] of named) {
    delete schema.propertyNames;
    differences.add('propertyNames', pointer, 'Zod cannot express it next to a combination');
  }
}

/** Reports each `multipleOf` of a schema that only `z.fromJSONSchema` can convert. */
export function reportMultiples(pointers: readonly string[], differences: SchemaDifferences): void {
  for (const pointer of pointers)
    differences.add('multipleOf', pointer, 'Zod compares large numbers with a tolerance');
}

/**
 * A keyword that counts how many schemas or values match (`oneOf`, `maxContains`). If a counted schema accepts more than the
 * original, the keyword accepts less.
 */
export interface CountingKeyword {
  /** The schemas that are counted. */
  readonly pointers: readonly string[];
  /** Replaces the keyword by one that does not count, and reports it. */
  readonly relax: () => void;
}

/** A reference: from where to where it leads, as JSON Pointers. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Relaxes every counting keyword whose schemas, references followed, are not checked in full. */
export function relaxCountingKeywords(
  keywords: readonly CountingKeyword[],
  links: readonly Link[],
  differences: SchemaDifferences,
): void {
  let kept = keywords;
  // Relaxing one keyword is a difference for those around it.
  for (let changed = differences.pointers.size > 0; changed;) {
    const tooMany = kept.length * (links.length + differences.pointers.size) > MAX_COMPARISONS;
    const affected = kept.filter(
      ({ pointers }) => tooMany || pointers.some((pointer) => differs(pointer, links, differences.pointers)),
    );
    for (const keyword of affected) keyword.relax();
    kept = kept.filter((keyword) => !affected.includes(keyword));
    changed = affected.length > 0;
  }
}

/** Beyond it, all are relaxed. No schema of a real server comes near. */
const MAX_COMPARISONS = 1_000_000;

function differs(pointer: string, links: readonly Link[], differences: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const open = [pointer];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    for (const difference of differences) if (isUnder(difference, place)) return true;
    for (const { from, to } of links) if (isUnder(from, place)) open.push(to);
  }
  return false;
}

const isUnder = (pointer: string, place: string): boolean =>
  pointer === place || pointer.startsWith(`${place}/`);

import type { SchemaDifferences } from '../schema/schema-differences.js';
import { innerSchemas, noOther, type SimpleSchema } from './simple-schema.js';

export type Placed = readonly [schema: SimpleSchema, pointer: string];

/** Anywhere in the schema two parts have to hold at once. */
export function holdsIntersection(schema: SimpleSchema): boolean {
  return schema.allOf !== undefined || innerSchemas(schema).some(holdsIntersection);
}

/**
 * The intersection of two Zod objects accepts a member that only one of them knows, and a name that only one of them
 * allows. Where there is an intersection, closed objects say "no other member" in another way, and checks of names, which
 * can't, are given up.
 */
export function closeObjects(
  closed: readonly Placed[],
  named: readonly Placed[],
  report: SchemaDifferences,
): void {
  for (const [schema, pointer] of closed) {
    if (schema.patternProperties === undefined) {
      schema.additionalProperties = noOther();
    } else {
      delete schema.additionalProperties;
      report.add('additionalProperties', pointer, 'Zod can not express it next to a combination');
    }
  }
  for (const [schema, pointer] of named) {
    delete schema.propertyNames;
    report.add('propertyNames', pointer, 'Zod can not express it next to a combination');
  }
}

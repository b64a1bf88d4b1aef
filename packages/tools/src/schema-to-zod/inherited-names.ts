import type { SchemaDifferences } from '../schema/schema-differences.js';
import { anything, type SimpleSchema } from './simple-schema.js';

/** Zod sees `constructor` and the like in every object, and `__proto__` in none: such members may hold anything. */
export function inheritedOpened(
  members: readonly (readonly [name: string, schema: SimpleSchema])[],
  pointer: string,
  report: SchemaDifferences,
): Record<string, SimpleSchema> {
  return Object.fromEntries(
    members.map(([name, schema]) => {
      if (!(name in Object.prototype)) return [name, schema];
      report.add('properties', pointer, `Zod takes ${name} for what every object inherits`);
      return [name, anything()];
    }),
  );
}

import { z } from 'zod';
import type { JsonObject } from '../json/copy-json.js';
import { draftOf } from '../schema/dialect.js';
import { References } from '../schema/references.js';
import type { SchemaDifference } from '../schema/schema-differences.js';
import { acceptSchema, type SchemaLimits } from '../schema/schema-limits.js';
import { buildZod } from './build-zod.js';
import { checkCost } from './check-cost.js';
import { Simplifier } from './simplify-schema.js';

/** A JSON Schema as a Zod schema, with a list of what the Zod schema does not check. */
export interface ConvertedSchema {
  /**
   * The part of the schema that `zod` checks. `exact`: all of it. `partial`: all but `unchecked`, so that it accepts more values, never
   * fewer. `none`: nothing, for `reason`.
   */
  readonly coverage: 'exact' | 'partial' | 'none';
  /** A part of the schema that could take very long to check is not in it, and is listed in `unchecked`. */
  readonly zod: z.ZodType;
  /** The keywords that `zod` does not check, at most 50. */
  readonly unchecked: readonly SchemaDifference[];
  /** Tells why nothing is checked. Only for `coverage: 'none'`. */
  readonly reason?: string | undefined;
  /** Maximum number of schemas that are visited for each value of the input. */
  readonly stepsPerValue: number;
  /** Maximum number of steps that patterns take for each character of the input. */
  readonly stepsPerCharacter: number;
}

/**
 * Converts a JSON Schema (draft-04 to 2020-12) of a server to Zod.
 *
 * A `$ref` to another document is never fetched: that part accepts anything and is listed in `unchecked`. Formats are
 * annotations and are not checked. Defaults are not filled in.
 *
 * @param limits The largest schema to accept. Default: see {@link SchemaLimits}.
 * @throws {FittingsError} `SCHEMA_REFUSED` if the schema exceeds the limits.
 * @see https://json-schema.org/draft/2020-12/json-schema-core
 * @example
 * ```ts
 * const { zod, coverage, unchecked } = convertSchema({ type: 'object', required: ['path'] });
 * console.log(zod.safeParse({ path: '/tmp' }).success, coverage, unchecked); // true exact []
 * ```
 */
export function convertSchema(schema: unknown, limits: Partial<SchemaLimits> = {}): ConvertedSchema {
  return convertAccepted(acceptSchema(schema, limits).schema);
}

/** Converts a schema that is known to be within the limits. */
export function convertAccepted(root: JsonObject): ConvertedSchema {
  const draft = draftOf(root['$schema']);
  if (draft === undefined) return acceptAnything('its $schema names a dialect that is not supported');
  const references = new References(root);
  if (references.ambiguous) return acceptAnything('a part of it has an $id of its own');
  try {
    return convert(root, new Simplifier(draft, references));
  } catch (error) {
    // Thousands of references in a row: only the depth of the document itself is limited.
    if (error instanceof RangeError) return acceptAnything(TOO_DEEP);
    throw error;
  }
}

function convert(root: JsonObject, simplifier: Simplifier): ConvertedSchema {
  const schema = simplifier.document(root);
  const unchecked = simplifier.differences.list;
  const cost = checkCost(schema);
  if (cost.endless) return acceptAnything('one of its references leads back to itself');
  if (cost.depth > MAX_DEPTH) return acceptAnything(TOO_DEEP);
  if (cost.exponential || cost.perValue > MAX_STEPS_PER_VALUE)
    return acceptAnything('checking it could take very long');
  const external = unchecked.find(({ keyword }) => keyword === '$ref');
  if (external !== undefined && Object.keys(schema).length === 0) {
    return { ...acceptAnything(external.reason), unchecked };
  }
  return {
    coverage: unchecked.length === 0 ? 'exact' : 'partial',
    zod: buildZod(schema),
    unchecked,
    stepsPerValue: cost.perValue,
    stepsPerCharacter: cost.perCharacter,
  };
}

/** A schema with more is not checked. */
const MAX_STEPS_PER_VALUE = 100_000;

/** With references followed. Zod needs a few stack frames for each level. */
const MAX_DEPTH = 500;
const TOO_DEEP = 'its references are nested too deeply';

function acceptAnything(reason: string): ConvertedSchema {
  return { coverage: 'none', zod: z.any(), unchecked: [], reason, stepsPerValue: 1, stepsPerCharacter: 0 };
}

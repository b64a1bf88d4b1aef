import { z } from 'zod';
import { admitSchema } from '../schema/admit.js';
import { checkCost } from './check-cost.js';
import { draftOf, type Draft } from '../schema/dialect.js';
import type { SchemaDifference } from '../schema/schema-differences.js';
import type { JsonObject } from '../json/copy-json.js';
import { createReferences, type References } from '../schema/references.js';
import type { SchemaLimits } from '../schema/schema-limits.js';
import type { SimpleSchema } from './simple-schema.js';
import { simplifySchema } from './simplify-schema.js';

/**
 * A JSON Schema as Zod schema, with what was lost on the way.
 *
 * `zod` can always be used on the thread of the host: what could make it slow is left out of it and reported. A
 * {@link SchemaChecker} checks that too, in a thread that it can stop.
 */
export interface ConvertedSchema {
  /**
   * `exact`: it accepts what the schema accepts. `partial`: it accepts that, and more: see `unchecked`. `none`: it accepts
   * anything: see `reason`.
   */
  readonly coverage: 'exact' | 'partial' | 'none';
  readonly zod: z.ZodType;
  readonly unchecked: readonly SchemaDifference[];
  /** Why nothing is checked, for `none`. */
  readonly reason?: string | undefined;
  /** For the {@link SchemaChecker}. */
  readonly plan: CheckPlan;
}

/** How to check a value within a budget. */
export interface CheckPlan {
  /** All that Zod can check, as the input of `z.fromJSONSchema`; undefined when nothing can be checked. */
  readonly schema: SimpleSchema | undefined;
  /** Steps for one value; infinite when only a thread that can be stopped may try. */
  readonly stepsPerValue: number;
  /** Two objects are merged: the work also grows with the square of their members. */
  readonly merges: boolean;
}

/**
 * Converts a JSON Schema (draft-04 to 2020-12) of a server. Throws `SCHEMA_REFUSED` for one that
 * exceeds the limits. No `$ref` is ever fetched: one that leads outside accepts anything and is among the unchecked; formats are annotations, and defaults are not filled in.
 * @see https://json-schema.org/draft/2020-12/json-schema-core
 */
export function convertSchema(schema: unknown, limits: Partial<SchemaLimits> = {}): ConvertedSchema {
  return convertAdmitted(admitSchema(schema, limits));
}

/** The same for a schema that has been admitted. */
export function convertAdmitted(root: JsonObject): ConvertedSchema {
  const draft = draftOf(root['$schema']);
  if (draft === undefined) return acceptAnything('its $schema names a dialect that is not supported');
  const references = createReferences(root);
  if (references.ambiguous) return acceptAnything('a part of it has an $id of its own');
  try {
    return convert(root, draft, references);
  } catch (error) {
    // Thousands of references in a row: the depth of the document itself is limited.
    if (error instanceof RangeError) return acceptAnything(TOO_DEEP);
    throw error;
  }
}

function convert(root: JsonObject, draft: Draft, references: References): ConvertedSchema {
  const safe = simplifySchema(root, { draft, references, patterns: 'linear' });
  const full = safe.patternsLeft ? simplifySchema(root, { draft, references, patterns: 'all' }) : safe;
  const cost = checkCost(safe.schema);
  if (cost.endless) return acceptAnything('one of its references leads back to itself');
  if (cost.depth > DEEPEST) return acceptAnything(TOO_DEEP);

  const slow = cost.exponential || cost.size > MOST_STEPS_PER_VALUE;
  const plan: CheckPlan = {
    schema: full.schema,
    stepsPerValue: slow || safe.patternsLeft ? Infinity : cost.size,
    merges: safe.intersects,
  };
  if (slow) return acceptAnything('a check of it could take very long', plan);
  const elsewhere = safe.unchecked.find(({ keyword }) => keyword === '$ref');
  if (elsewhere !== undefined && Object.keys(safe.schema).length === 0) {
    return { ...acceptAnything(elsewhere.reason), unchecked: safe.unchecked };
  }
  const zod = toZod(safe.schema);
  if (zod === undefined) return acceptAnything('Zod can not convert it');
  return {
    coverage: safe.unchecked.length === 0 ? 'exact' : 'partial',
    zod,
    unchecked: safe.unchecked,
    plan,
  };
}

/** A schema that unfolds to more parts is checked where it can be stopped. */
const MOST_STEPS_PER_VALUE = 100_000;

/** With references followed; Zod needs a few frames of the stack for each level. */
const DEEPEST = 500;
const TOO_DEEP = 'its references are nested too deep';

const NO_PLAN: CheckPlan = { schema: undefined, stepsPerValue: 0, merges: false };

function acceptAnything(reason: string, plan: CheckPlan = NO_PLAN): ConvertedSchema {
  return { coverage: 'none', zod: z.any(), unchecked: [], reason, plan };
}

/** Zod keeps descriptions and the like in a registry that all schemas share; a stranger's schema gets its own. */
function toZod(schema: SimpleSchema): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema, { registry: z.registry() });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // We know of no case, but its authors call the conversion semi-experimental.
    return undefined;
  }
}

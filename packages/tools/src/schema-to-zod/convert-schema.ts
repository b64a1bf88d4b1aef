import { z } from 'zod';
import type { Json, JsonObject } from '../json/copy-json.js';
import { draftOf, type Draft } from '../schema/dialect.js';
import { createReferences, type References } from '../schema/references.js';
import type { SchemaDifference } from '../schema/schema-differences.js';
import { acceptSchema, type SchemaLimits } from '../schema/schema-limits.js';
import { acceptsCommon } from './accepts-common.js';
import { checkCost } from './check-cost.js';
import { isCommon } from './common-schema.js';
import type { SimpleSchema } from './simple-schema.js';
import { simplifySchema, type Simplified } from './simplify-schema.js';
import { buildZod, toZod } from './to-zod.js';
import { forFromJsonSchema } from './whole-numbers.js';
import { ZodCache } from './zod-cache.js';

/** A JSON Schema as a Zod schema, with a list of what the Zod schema does not check. */
export interface ConvertedSchema {
  /**
   * How much of the schema `zod` checks. `exact`: all of it. `partial`: all but `unchecked`, so that it accepts more values,
   * never fewer. `none`: nothing, for `reason`.
   */
  readonly coverage: 'exact' | 'partial' | 'none';
  /**
   * Never blocks the event loop for long: a part of the schema that could be slow is not in it, and is listed in `unchecked`.
   * A {@link SchemaChecker} checks such a part too, in a worker thread that it can stop.
   *
   * Where parts are combined (`allOf`, `oneOf`), it reads a character beyond U+FFFF as two when it tests a pattern, and can reject
   * a valid string. A {@link SchemaChecker} accepts it.
   */
  readonly zod: z.ZodType;
  /** The keywords that `zod` does not check, at most 50. */
  readonly unchecked: readonly SchemaDifference[];
  /** Why nothing is checked. Only for `coverage: 'none'`. */
  readonly reason?: string | undefined;
  /** How a {@link SchemaChecker} checks a value. Pass it on unchanged. */
  readonly plan: CheckPlan;
}

/** How a {@link SchemaChecker} checks a value within its budget. */
export interface CheckPlan {
  /** All that Zod can check, as an argument of `z.fromJSONSchema`; undefined if it can check nothing. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Maximum steps per value of the input. `Infinity`: only a worker thread may run the check. */
  readonly stepsPerValue: number;
  /** Whether Zod merges two objects, so that the work grows with the square of their members. */
  readonly merges: boolean;
  /** Quickly accepts most valid values of most schemas. Undefined: Zod has to check every value. */
  readonly quick?: QuickCheck | undefined;
}

/** A check that accepts most valid values without Zod. */
export interface QuickCheck {
  /** Maximum steps per value of the input. */
  readonly stepsPerValue: number;
  /** Returns true only if the value, a copy without prototypes, is valid. False means that Zod has to decide. */
  accepts(value: Json): boolean;
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
  return convertAccepted(acceptSchema(schema, limits).schema, new ZodCache());
}

/** Converts a schema that is known to be within the limits. Its Zod schema shares parts with the others that `cache` knows. */
export function convertAccepted(root: JsonObject, cache: ZodCache): ConvertedSchema {
  const draft = draftOf(root['$schema']);
  if (draft === undefined) return acceptAnything('its $schema names a dialect that is not supported');
  const references = createReferences(root);
  if (references.ambiguous) return acceptAnything('a part of it has an $id of its own');
  try {
    return convert(root, draft, references, cache);
  } catch (error) {
    // Thousands of references in a row: only the depth of the document itself is limited.
    if (error instanceof RangeError) return acceptAnything(TOO_DEEP);
    throw error;
  }
}

function convert(root: JsonObject, draft: Draft, references: References, cache: ZodCache): ConvertedSchema {
  const safe = simplifySchema(root, { draft, references, patterns: 'linear' });
  const full = safe.patternsSkipped ? simplifySchema(root, { draft, references, patterns: 'all' }) : safe;
  const cost = checkCost(safe.schema);
  if (cost.endless) return acceptAnything('one of its references leads back to itself');
  if (cost.depth > MAX_DEPTH) return acceptAnything(TOO_DEEP);
  const common = isCommon(safe.schema);

  const slow = cost.exponential || cost.size > MAX_STEPS_PER_VALUE;
  let forWorker: SimpleSchema | undefined;
  const plan: CheckPlan = {
    get schema() {
      return (forWorker ??= forFromJsonSchema(full.schema));
    },
    stepsPerValue: slow || safe.patternsSkipped ? Infinity : cost.size,
    merges: safe.intersects,
    quick:
      slow || cost.recursive || !(full === safe ? common : isCommon(full.schema))
        ? undefined
        : quickCheck(full.schema, cost.size, !safe.patternsSkipped),
  };
  if (slow) return acceptAnything('checking it could take very long', plan);
  const external = safe.unchecked.find(({ keyword }) => keyword === '$ref');
  if (external !== undefined && Object.keys(safe.schema).length === 0) {
    return { ...acceptAnything(external.reason), unchecked: safe.unchecked };
  }
  const coverage = safe.unchecked.length === 0 ? 'exact' : 'partial';
  if (common) return new CommonConversion(coverage, safe, plan, cache);
  const zod = toZod(safe.schema);
  if (zod === undefined) return acceptAnything('Zod cannot convert it');
  return { coverage, zod, unchecked: safe.unchecked, plan };
}

const quickCheck = (schema: SimpleSchema, stepsPerValue: number, testsPatterns: boolean): QuickCheck => ({
  stepsPerValue,
  accepts: (value) => acceptsCommon(schema, value, { testsPatterns, definitions: schema.$defs ?? {} }),
});

/** Builds its Zod schema when it is first read: a valid value is accepted without. */
class CommonConversion implements ConvertedSchema {
  readonly coverage: 'exact' | 'partial';
  readonly unchecked: readonly SchemaDifference[];
  readonly plan: CheckPlan;
  readonly #schema: SimpleSchema;
  readonly #cache: ZodCache;
  #zod: z.ZodType | undefined;

  constructor(
    coverage: 'exact' | 'partial',
    { schema, unchecked }: Simplified,
    plan: CheckPlan,
    cache: ZodCache,
  ) {
    this.coverage = coverage;
    this.unchecked = unchecked;
    this.plan = plan;
    this.#schema = schema;
    this.#cache = cache;
  }

  get zod(): z.ZodType {
    return (this.#zod ??= buildZod(this.#schema, this.#cache));
  }
}

/** A schema with more parts, references followed, is checked in the worker thread. */
const MAX_STEPS_PER_VALUE = 100_000;

/** With references followed. Zod needs a few stack frames for each level. */
const MAX_DEPTH = 500;
const TOO_DEEP = 'its references are nested too deeply';

const NO_PLAN: CheckPlan = { schema: undefined, stepsPerValue: 0, merges: false };

function acceptAnything(reason: string, plan: CheckPlan = NO_PLAN): ConvertedSchema {
  return { coverage: 'none', zod: z.any(), unchecked: [], reason, plan };
}

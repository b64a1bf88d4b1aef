import type { Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import type { z } from 'zod';
import { copyJson, type JsonLimits } from '../json/copy-json.js';
import type { ConvertedSchema } from '../schema-to-zod/convert-schema.js';
import { createCheckThread, notChecked } from './check-thread.js';
import { readableIssues, type SchemaIssue, type ZodIssue } from './schema-issues.js';

/** The budget of a {@link SchemaChecker}. */
export interface SchemaCheckerOptions {
  /** Maximum time of one check in the worker thread, in milliseconds. Default 2000. */
  readonly budgetMs?: number | undefined;
  /**
   * The largest value to check; a larger one is an issue. Default: 64 levels, 100 000 values, 16 000 000 characters. `createTools`
   * also rejects larger arguments when they are not checked.
   */
  readonly limits?: Partial<JsonLimits> | undefined;
  /** Measures `budgetMs`. Default: the system clock. Tests pass one of their own. */
  readonly clock?: Clock | undefined;
}

/**
 * Checks values against converted schemas within a budget. A check that is provably quick runs at once. One that may be slow
 * (a pattern that is not proven linear, a recursion that branches, a very large value) runs in a worker thread, which is
 * terminated when the time is up. The thread starts when it is first needed, and does not keep the process alive.
 */
export interface SchemaChecker extends AsyncDisposable {
  /**
   * Resolves with what is wrong with the value; empty if it is valid.
   * @throws {FittingsError} `TIMEOUT` if the budget is used up; `ABORTED` if the checker was closed and the worker thread is
   * needed.
   */
  check(schema: ConvertedSchema, value: unknown): Promise<readonly SchemaIssue[]>;
}

/** The largest value that is checked, unless the host sets other limits. */
export const CHECKED_VALUE_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxNodes: 100_000,
  maxCharacters: 16_000_000,
};

/** Zod takes about 50 ms for a million steps. */
const MAX_STEPS = 1_000_000;

/**
 * Creates a checker for converted schemas. Close it with `await using` or `[Symbol.asyncDispose]()`.
 * @example
 * ```ts
 * await using checker = createSchemaChecker({ budgetMs: 500 });
 * const schema = convertSchema({ type: 'object', properties: { path: { type: 'string' } } });
 * const issues = await checker.check(schema, { path: 1 });
 * console.log(describeIssues(issues)); // path: Invalid input: expected string, received number
 * ```
 */
export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  const { budgetMs = 2_000, clock = systemClock } = options;
  const limits = { ...CHECKED_VALUE_LIMITS, ...options.limits };
  const thread = createCheckThread({ clock, budgetMs });

  return {
    async check(schema, value) {
      const { plan } = schema;
      const copy = copyJson(value, limits);
      if (copy.problem !== undefined) return [{ path: [], message: `the value ${copy.problem}` }];
      const { quick } = plan;
      const isQuick = quick !== undefined && quick.stepsPerValue * copy.nodes <= MAX_STEPS;
      if (isQuick && quick.accepts(copy.value)) return [];
      if (plan.schema === undefined) return [];
      const steps = plan.stepsPerValue * copy.nodes + (plan.merges ? copy.nodes ** 2 : 0);
      const issues =
        steps <= MAX_STEPS ? parse(schema.zod, copy.value) : await thread.check(plan.schema, copy.value);
      return readableIssues(issues, copy.value);
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

/**
 * By default, Zod generates a function for each object schema when it first checks a value: 0.3 ms for a tool that a model may
 * call once, and code from the property names of a stranger.
 */
const NO_GENERATED_CODE = { jitless: true };

function parse(zod: z.ZodType, value: unknown): readonly ZodIssue[] {
  try {
    return zod.safeParse(value, NO_GENERATED_CODE).error?.issues.map(asZodIssue) ?? [];
  } catch (error) {
    throw notChecked(error);
  }
}

const asZodIssue = (issue: object & Pick<ZodIssue, 'code' | 'message' | 'path'>): ZodIssue => ({ ...issue });

import type { Clock } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/client-core/timing';
import type { z } from 'zod';
import type { ConvertedSchema } from '../schema/convert.js';
import { plainCopy, type PlainLimits } from '../schema/plain-copy.js';
import { createCheckThread, notChecked } from './check-thread.js';
import { readableIssues } from './issue-text.js';
import type { RawIssue, SchemaIssue } from './raw-issue.js';
import { stands } from './second-look.js';

export interface SchemaCheckerOptions {
  /** What one check may take in the other thread, milliseconds. Default 2000. */
  readonly budgetMs?: number | undefined;
  /** Values beyond these are not checked but refused. Default: 64 levels, 100 000 values, 16 million characters. */
  readonly limits?: Partial<PlainLimits> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Checks values against converted schemas within a budget. What is surely quick is checked on the spot; what may be
 * slow (a pattern that is not proved linear, a recursion that forks, very large values) in a thread that is ended when its
 * time is over. The thread starts when it is needed first, and does not keep the process alive.
 */
export interface SchemaChecker extends AsyncDisposable {
  /** What is wrong with the value; empty when nothing is. Rejects with `TIMEOUT` when the budget does not suffice. */
  check(schema: ConvertedSchema, value: unknown): Promise<readonly SchemaIssue[]>;
}

/** What a value may hold unless a host says otherwise. */
export const CHECKED_VALUE_LIMITS: PlainLimits = {
  maxDepth: 64,
  maxNodes: 100_000,
  maxCharacters: 16_000_000,
};

/** A million steps of Zod take some 50 ms. */
const MOST_STEPS = 1_000_000;

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  const { budgetMs = 2_000, clock = systemClock } = options;
  const limits = { ...CHECKED_VALUE_LIMITS, ...options.limits };
  // Starts when it is first asked.
  const thread = createCheckThread({ clock, budgetMs });

  return {
    async check({ zod, plan }, value) {
      const copy = plainCopy(value, limits);
      if (copy.problem !== undefined) return [{ path: [], message: `the value ${copy.problem}` }];
      if (plan.schema === undefined) return [];
      const steps = plan.stepsPerValue * copy.nodes + (plan.merges ? copy.nodes ** 2 : 0);
      let issues: readonly RawIssue[];
      if (steps <= MOST_STEPS) {
        issues = parse(zod, copy.value);
      } else {
        issues = await thread.check(plan.schema, copy.value);
      }
      return readableIssues(
        issues.filter((issue) => stands(issue, copy.value)),
        copy.value,
      );
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

function parse(zod: z.ZodType, value: unknown): readonly RawIssue[] {
  try {
    return zod.safeParse(value).error?.issues.map(asRaw) ?? [];
  } catch (error) {
    throw notChecked(error);
  }
}

const asRaw = (issue: object & Pick<RawIssue, 'code' | 'message' | 'path'>): RawIssue => ({ ...issue });

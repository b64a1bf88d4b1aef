import type { ToolsOptions } from '../create-tools.js';
import { copyJson, type AcceptedJson, type JsonLimits } from '../json/copy-json.js';
import type { ConvertedSchema } from '../schema-to-zod/convert-schema.js';
import { readableIssues, type SchemaIssue } from './schema-issues.js';

/** The largest value that is checked, unless the host sets other limits. */
export const CHECKED_VALUE_LIMITS: JsonLimits = {
  maxDepth: 64,
  maxNodes: 100_000,
  maxCharacters: 16_000_000,
};

/** A check of so many steps takes a second at most, and nearly always much less: each value counts for the whole schema. */
const MAX_STEPS = 20_000_000;
/** A step of Zod takes as long as so many steps of a pattern. */
const PATTERN_STEPS = 4;

/**
 * By default, Zod generates a function for each object schema when it first checks a value: 0.3 ms for a tool that a model may
 * call once, and code from the property names of a stranger.
 */
const NO_GENERATED_CODE = { jitless: true };

/**
 * Returns what is wrong with a value; empty if it is valid. Of a schema and a value that together are so large that the check could take
 * more than a second, nothing is checked.
 * @param limits The largest value to check; a larger one is an issue. Default: 64 levels, 100 000 values, 16 000 000 characters.
 * @example
 * ```ts
 * const schema = convertSchema({ type: 'object', properties: { path: { type: 'string' } } });
 * const issues = checkValue(schema, { path: 1 });
 * console.log(describeIssues(issues)); // path: Invalid input: expected string, received number
 * ```
 */
export function checkValue(
  schema: ConvertedSchema,
  value: unknown,
  limits: NonNullable<ToolsOptions['valueLimits']> = {},
): readonly SchemaIssue[] {
  const copy = copyJson(value, { ...CHECKED_VALUE_LIMITS, ...limits });
  if (copy.problem !== undefined) return [{ path: [], message: `the value ${copy.problem}` }];
  return checkCopy(schema, copy);
}

/** Checks a copy that is within the limits already. */
export function checkCopy(schema: ConvertedSchema, copy: AcceptedJson): readonly SchemaIssue[] {
  const { stepsPerValue, stepsPerCharacter } = schema;
  const steps = stepsPerValue * copy.nodes + (stepsPerCharacter * copy.characters) / PATTERN_STEPS;
  if (steps > MAX_STEPS) return [];
  try {
    const { error } = schema.zod.safeParse(copy.value, NO_GENERATED_CODE);
    return error === undefined ? [] : readableIssues(error.issues, copy.value);
  } catch (error) {
    // Both are nested so deeply that the stack is too small.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

import { DRAFT } from '../schema/dialect.js';
import type { Json, JsonObject } from '../json/copy-json.js';
import { anyOf, type SimpleSchema } from './simple-schema.js';
import type { Simplifying } from './simplifier.js';

export function simplifyString(node: JsonObject, pointer: string, context: Simplifying): SimpleSchema {
  const simple: SimpleSchema = { type: 'string' };
  readCounts(node, pointer, context, simple, ['minLength', 'maxLength']);
  const { pattern } = node;
  if (typeof pattern === 'string') {
    if (pattern !== '' && context.acceptsPattern(pattern, pointer)) simple.pattern = pattern;
  } else if (pattern !== undefined) {
    context.report.add('pattern', pointer, 'it is not a text');
  }
  return simple;
}

export function simplifyNumber(
  node: JsonObject,
  pointer: string,
  context: Simplifying,
  integer: boolean,
): SimpleSchema {
  const simple: SimpleSchema = { type: 'number' };
  for (const side of ['Minimum', 'Maximum'] as const) {
    const inclusive = side === 'Minimum' ? 'minimum' : 'maximum';
    const exclusive = `exclusive${side}` as const;
    const bound = readNumber(node, inclusive, pointer, context);
    // In draft-04 it is a switch that changes the meaning of the other keyword.
    const isSwitch = context.draft === DRAFT.v4 && typeof node[exclusive] === 'boolean';
    const strict = isSwitch ? undefined : readNumber(node, exclusive, pointer, context);
    if (bound !== undefined) simple[isSwitch && node[exclusive] === true ? exclusive : inclusive] = bound;
    if (strict !== undefined) simple[exclusive] = strict;
  }
  const step = readNumber(node, 'multipleOf', pointer, context);
  if (step !== undefined && step <= 0) context.report.add('multipleOf', pointer, 'it is not above zero');
  else if (step !== undefined) simple.multipleOf = step;
  // Zod's `multipleOf` has a tolerance that grows with the value: above 1e15 every fraction passes as whole.
  return integer || simple.multipleOf === 1 ? wholeNumbers(simple) : simple;
}

/** From here on every number is whole, and Zod's own integers end. */
const FIRST_UNSAFE = 2 ** 53;

function wholeNumbers({ multipleOf, ...simple }: SimpleSchema): SimpleSchema {
  const step = multipleOf === undefined || multipleOf === 1 ? {} : { multipleOf };
  const parts: SimpleSchema[] = [{ ...simple, ...step, type: 'integer' }];
  const {
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  } = simple;
  if (Math.min(maximum, exclusiveMaximum) >= FIRST_UNSAFE) {
    parts.push({ ...simple, ...step, minimum: Math.max(minimum, FIRST_UNSAFE) });
  }
  if (Math.max(minimum, exclusiveMinimum) <= -FIRST_UNSAFE) {
    parts.push({ ...simple, ...step, maximum: Math.min(maximum, -FIRST_UNSAFE) });
  }
  return anyOf(parts);
}

type NumberKeyword = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';

function readNumber(
  node: JsonObject,
  keyword: NumberKeyword,
  pointer: string,
  context: Simplifying,
): number | undefined {
  const value = node[keyword];
  if (value === undefined || typeof value === 'number') return value;
  context.report.add(keyword, pointer, 'it is not a number');
  return undefined;
}

type CountKeyword =
  | 'minLength'
  | 'maxLength'
  | 'minItems'
  | 'maxItems'
  | 'minProperties'
  | 'maxProperties'
  | 'minContains'
  | 'maxContains';

/** Copies the counts among these keywords that are what they should be. */
export function readCounts(
  node: JsonObject,
  pointer: string,
  context: Simplifying,
  into: SimpleSchema,
  keywords: readonly CountKeyword[],
): void {
  for (const keyword of keywords) {
    const value = node[keyword];
    if (value === undefined) continue;
    if (isCount(value)) into[keyword] = value;
    else context.report.add(keyword, pointer, 'it is not a whole number');
  }
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

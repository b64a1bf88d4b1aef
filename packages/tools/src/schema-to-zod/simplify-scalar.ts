import { DRAFT } from '../schema/dialect.js';
import type { Json, JsonObject } from '../json/copy-json.js';
import type { SimpleSchema } from './simple-schema.js';
import type { Simplifier } from './simplify-schema.js';

/** Reads the keywords that apply to strings. */
export function simplifyString(node: JsonObject, pointer: string, simplifier: Simplifier): SimpleSchema {
  const simple: SimpleSchema = { type: 'string' };
  readCounts(node, pointer, simplifier, simple, ['minLength', 'maxLength']);
  const { pattern } = node;
  if (typeof pattern === 'string') {
    const compiled = pattern === '' ? undefined : simplifier.compile(pattern, pointer);
    if (compiled !== undefined) simple.pattern = compiled;
  } else if (pattern !== undefined) {
    simplifier.differences.add('pattern', pointer, 'it is not a string');
  }
  return simple;
}

/** Reads the keywords that apply to numbers. */
export function simplifyNumber(
  node: JsonObject,
  pointer: string,
  simplifier: Simplifier,
  integer: boolean,
): SimpleSchema {
  const simple: SimpleSchema = { type: 'number' };
  for (const side of ['Minimum', 'Maximum'] as const) {
    const inclusive = side === 'Minimum' ? 'minimum' : 'maximum';
    const exclusive = `exclusive${side}` as const;
    const bound = readNumber(node, inclusive, pointer, simplifier);
    // In draft-04, it is a boolean that changes the meaning of the other keyword.
    const isSwitch = simplifier.draft === DRAFT.v4 && typeof node[exclusive] === 'boolean';
    const strict = isSwitch ? undefined : readNumber(node, exclusive, pointer, simplifier);
    if (bound !== undefined) simple[isSwitch && node[exclusive] === true ? exclusive : inclusive] = bound;
    if (strict !== undefined) simple[exclusive] = strict;
  }
  const step = readNumber(node, 'multipleOf', pointer, simplifier);
  if (step !== undefined && step <= 0)
    simplifier.differences.add('multipleOf', pointer, 'it is not greater than 0');
  else if (step !== undefined) simple.multipleOf = step;
  if (integer || simple.multipleOf === 1) simple.type = 'integer';
  return simple;
}

type NumberKeyword = 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'multipleOf';

function readNumber(
  node: JsonObject,
  keyword: NumberKeyword,
  pointer: string,
  simplifier: Simplifier,
): number | undefined {
  const value = node[keyword];
  if (value === undefined || typeof value === 'number') return value;
  simplifier.differences.add(keyword, pointer, 'it is not a number');
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

/** Copies those of the keywords that are non-negative integers, and reports the others. */
export function readCounts(
  node: JsonObject,
  pointer: string,
  simplifier: Simplifier,
  into: SimpleSchema,
  keywords: readonly CountKeyword[],
): void {
  for (const keyword of keywords) {
    const value = node[keyword];
    if (value === undefined) continue;
    if (isCount(value)) into[keyword] = value;
    else simplifier.differences.add(keyword, pointer, 'it is not a non-negative integer');
  }
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

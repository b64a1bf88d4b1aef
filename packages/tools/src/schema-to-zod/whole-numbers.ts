import { z } from 'zod';
import { mapInnerSchemas, type SimpleSchema } from './simple-schema.js';

/** From here on, every number is whole, and the integers of Zod end. */
const FIRST_UNSAFE = 2 ** 53;

/** Creates a check that a number is whole, whatever its size, with the message of Zod's own integers. */
export function acceptsInteger(): z.core.$ZodCheck<number> {
  const check = z.check<number>((payload) => {
    if (Number.isInteger(payload.value)) return;
    payload.issues.push({ code: 'invalid_type', expected: 'int', input: payload.value, continue: false });
  });
  // So that `z.toJSONSchema` writes `integer`.
  check._zod.onattach.push((schema) => {
    schema._zod.bag['format'] = 'safeint';
  });
  return check;
}

/**
 * Rewrites a simplified schema for `z.fromJSONSchema`, whose integers end at 2^53: a whole number becomes a union of three
 * ranges. The worker thread gets such a schema too.
 */
export function forFromJsonSchema(schema: SimpleSchema): SimpleSchema {
  const inner = mapInnerSchemas(schema, forFromJsonSchema);
  return schema.type === 'integer' ? threeRanges(inner) : inner;
}

function threeRanges({ description, ...simple }: SimpleSchema): SimpleSchema {
  const { type: _, ...unsafe } = simple;
  const parts: SimpleSchema[] = [simple];
  const {
    minimum = -Infinity,
    maximum = Infinity,
    exclusiveMinimum = -Infinity,
    exclusiveMaximum = Infinity,
  } = simple;
  if (Math.min(maximum, exclusiveMaximum) >= FIRST_UNSAFE) {
    parts.push({ ...unsafe, type: 'number', minimum: Math.max(minimum, FIRST_UNSAFE) });
  }
  if (Math.max(minimum, exclusiveMinimum) <= -FIRST_UNSAFE) {
    parts.push({ ...unsafe, type: 'number', maximum: Math.min(maximum, -FIRST_UNSAFE) });
  }
  const [only] = parts;
  const ranges = parts.length === 1 && only !== undefined ? only : { anyOf: parts };
  return description === undefined ? ranges : { ...ranges, description };
}

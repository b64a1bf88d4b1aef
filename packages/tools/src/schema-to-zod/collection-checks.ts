import { isRecord } from '@mcp-fittings/toolbox/messages';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import { z } from 'zod';
import type { SimpleSchema } from './simple-schema.js';

/** Checks for what `z.array` and `z.object` do not check. Each schema is a part of `acceptAll`, next to one that checks the type. */

/** Creates a schema for `uniqueItems`. */
export function acceptsUnique(): z.ZodType {
  return checking(Array.isArray, (list, report) => {
    const first = new Map<string, number>();
    for (const [index, element] of list.entries()) {
      const text = canonicalJson(element);
      const same = first.get(text);
      if (same === undefined) first.set(text, index);
      else report(`Array items must be unique: item ${index} is the same as item ${same}`, index);
    }
  });
}

/** Creates a schema for `contains`, `minContains` and `maxContains`. */
export function acceptsContaining(
  element: z.ZodType,
  { minContains = 1, maxContains = Infinity }: SimpleSchema,
): z.ZodType {
  return checking(Array.isArray, (list, report) => {
    const count = list.filter((each) => element.safeParse(each, { jitless: true }).success).length;
    if (count < minContains)
      report(`Array must contain at least ${minContains} matching items; found ${count}`);
    if (count > maxContains)
      report(`Array must contain at most ${maxContains} matching items; found ${count}`);
  });
}

/** Creates a schema for `propertyNames`. */
export function acceptsNames(names: z.ZodType): z.ZodType {
  return checking(isRecord, (object, report) => {
    for (const key of Object.keys(object)) {
      const { error } = names.safeParse(key, { jitless: true });
      if (error !== undefined) report('Invalid key in record', key);
    }
  });
}

/** Creates a schema for `minProperties` and `maxProperties`. */
export function acceptsCount({ minProperties = 0, maxProperties = Infinity }: SimpleSchema): z.ZodType {
  return checking(isRecord, (object, report) => {
    const { length } = Object.keys(object);
    if (length < minProperties) report(`Too small: expected object to have >=${minProperties} properties`);
    if (length > maxProperties) report(`Too big: expected object to have <=${maxProperties} properties`);
  });
}

/** Creates a schema for those members of an object whose names are accepted. */
export function acceptsMembers(isNamed: (name: string) => boolean, member: z.ZodType): z.ZodType {
  return z.looseRecord(z.string().refine(isNamed), member);
}

/** Creates a schema that checks values of one type, and accepts all others. */
function checking<Value>(
  hasType: (value: unknown) => value is Value,
  check: (value: Value, report: (message: string, at?: string | number) => void) => void,
): z.ZodType {
  return z.any().check(({ value, issues }) => {
    if (!hasType(value)) return;
    check(value, (message, at) =>
      issues.push({ code: 'custom', message, input: value, path: at === undefined ? [] : [at] }),
    );
  });
}

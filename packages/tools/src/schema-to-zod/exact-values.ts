import { inheritedOpened } from './inherited-names.js';
import type { SchemaDifferences } from '../schema/schema-differences.js';
import { isJsonObject, type Json } from '../json/copy-json.js';
import { anyOf, noOther, type SimpleSchema } from './simple-schema.js';

/** Fits these values and no others, compared by what they hold. */
export function exactValues(
  values: readonly Json[],
  pointer: string,
  report: SchemaDifferences,
): SimpleSchema {
  const texts = [...new Set(values.filter((value) => typeof value === 'string'))];
  const others = values
    .filter((value) => typeof value !== 'string')
    .map((value) => exactValue(value, pointer, report));
  if (texts.length === 0) return anyOf(others);
  return anyOf([texts.length === 1 ? { const: texts[0] ?? '' } : { enum: texts }, ...others]);
}

function exactValue(value: Json, pointer: string, report: SchemaDifferences): SimpleSchema {
  if (typeof value !== 'object' || value === null) return { const: value };
  if (!isJsonObject(value)) {
    const elements = value.map((element) => exactValue(element, pointer, report));
    return { type: 'array', prefixItems: elements, items: false, minItems: value.length };
  }
  const members = Object.entries(value);
  return {
    type: 'object',
    properties: inheritedOpened(
      members.map(([key, member]) => [key, exactValue(member, pointer, report)]),
      pointer,
      report,
    ),
    required: members.map(([key]) => key),
    additionalProperties: noOther(),
  };
}

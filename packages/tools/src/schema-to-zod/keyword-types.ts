import type { JsonObject } from '../json/copy-json.js';
import type { JsonType } from './simple-schema.js';

/** Which type a keyword is about. It means nothing for values of the others. */
const KEYWORDS: Readonly<Partial<Record<JsonType, readonly string[]>>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: [
    'items',
    'additionalItems',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'dependencies',
    'unevaluatedProperties',
  ],
};

/** Whether the schema says anything about values of this type. */
export function constrains(node: JsonObject, type: JsonType): boolean {
  return KEYWORDS[type]?.some((keyword) => node[keyword] !== undefined) === true;
}

import { isRecord } from '@mcp-fittings/client-core';

/** Keyword of a parameter whose value is sent in a header too. */
const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose schemas are not reachable through `properties` alone; the value is a schema or an array of schemas. */
const OTHER_KEYWORDS = [
  'items',
  'prefixItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'oneOf',
  'anyOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
] as const;
/** The same, for keywords whose value maps names to schemas. */
const OTHER_MAPS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/**
 * Returns what is wrong with the header annotations of an input schema; `undefined` if they are valid. Over HTTP a client must
 * leave out a tool whose annotations are not valid (SEP-2243). The depth of the schema has been bounded before.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export function headerProblem(inputSchema: unknown): string | undefined {
  const names = new Set<string>();

  const visit = (schema: unknown, isParameter: boolean, isReachable: boolean): string | undefined => {
    if (!isRecord(schema)) return undefined;
    if (ANNOTATION in schema) {
      const name = schema[ANNOTATION];
      if (!isReachable || !isParameter) return `has "${ANNOTATION}" on something other than a parameter`;
      if (typeof name !== 'string' || !TOKEN.test(name))
        return `has an "${ANNOTATION}" that is not a valid header name`;
      if (!TYPES.has(schema['type']))
        return `has "${ANNOTATION}" on a parameter that is not a string, integer or boolean`;
      if (names.has(name.toLowerCase())) return `has the same "${ANNOTATION}" twice`;
      names.add(name.toLowerCase());
    }
    for (const parameter of valuesOf(schema['properties'])) {
      const problem = visit(parameter, true, isReachable);
      if (problem !== undefined) return problem;
    }
    const others = [
      ...OTHER_KEYWORDS.flatMap((keyword) => schema[keyword]),
      ...OTHER_MAPS.flatMap((keyword) => valuesOf(schema[keyword])),
    ];
    for (const each of others) {
      const problem = visit(each, true, false);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(inputSchema, false, true);
}

function valuesOf(value: unknown): readonly unknown[] {
  return isRecord(value) ? Object.values(value) : [];
}

import { isRecord } from '@mcp-fittings/client-core';

/** Marks a parameter of a tool whose value travels in a header as well. */
const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords below which no parameter can be reached by a chain of `properties`; the value is one schema or a list. */
const BESIDE = [
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
/** The same; the value maps names to schemas. */
const BESIDE_BY_NAME = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'] as const;

/**
 * What is wrong with the header annotations of an input schema; undefined: nothing. Over HTTP a client has to leave out a
 * tool whose annotations are not valid (SEP-2243). The schema was measured before: its depth is bounded.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export function headerProblem(inputSchema: unknown): string | undefined {
  const names = new Set<string>();

  const visit = (schema: unknown, isParameter: boolean, isReachable: boolean): string | undefined => {
    if (!isRecord(schema)) return undefined;
    if (ANNOTATION in schema) {
      const name = schema[ANNOTATION];
      if (!isReachable || !isParameter) return `has "${ANNOTATION}" where no parameter is`;
      if (typeof name !== 'string' || !TOKEN.test(name))
        return `has an "${ANNOTATION}" that is not a header name`;
      if (!TYPES.has(schema['type']))
        return `has "${ANNOTATION}" on a parameter that is not text, integer or boolean`;
      if (names.has(name.toLowerCase())) return `has the same "${ANNOTATION}" twice`;
      names.add(name.toLowerCase());
    }
    for (const parameter of valuesOf(schema['properties'])) {
      const problem = visit(parameter, true, isReachable);
      if (problem !== undefined) return problem;
    }
    const beside = [
      ...BESIDE.flatMap((keyword) => schema[keyword]),
      ...BESIDE_BY_NAME.flatMap((keyword) => valuesOf(schema[keyword])),
    ];
    for (const each of beside) {
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

import { isRecord } from '@mcp-fittings/toolbox/messages';

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

/** A parameter whose value is sent in a header too. */
export interface HeaderAnnotation {
  /** Name of the header, without its prefix. */
  readonly name: string;
  /** Names of the properties that lead from the arguments to the value. */
  readonly path: readonly string[];
}

/**
 * Returns what is wrong with the header annotations of an input schema; `undefined` if they are valid. Over HTTP a client must
 * leave out a tool whose annotations are not valid (SEP-2243). The depth of the schema has been bounded before.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export function headerAnnotationProblem(inputSchema: unknown): string | undefined {
  return readAnnotations(inputSchema).problem;
}

/** Returns the header annotations of an input schema; none if one of them is not valid. */
export function headerAnnotations(inputSchema: unknown): readonly HeaderAnnotation[] {
  const { problem, annotations } = readAnnotations(inputSchema);
  return problem === undefined ? annotations : [];
}

function readAnnotations(inputSchema: unknown): {
  readonly problem: string | undefined;
  readonly annotations: readonly HeaderAnnotation[];
} {
  const names = new Set<string>();
  const annotations: HeaderAnnotation[] = [];

  /** A `path` leads to a parameter; without one, the schema is not reachable through `properties` alone. */
  const visit = (schema: unknown, path: readonly string[] | undefined): string | undefined => {
    if (!isRecord(schema)) return undefined;
    if (ANNOTATION in schema) {
      const name = schema[ANNOTATION];
      if (path === undefined || path.length === 0)
        return `has "${ANNOTATION}" on something other than a parameter`;
      if (typeof name !== 'string' || !TOKEN.test(name))
        return `has an "${ANNOTATION}" that is not a valid header name`;
      if (!TYPES.has(schema['type']))
        return `has "${ANNOTATION}" on a parameter that is not a string, integer or boolean`;
      if (names.has(name.toLowerCase())) return `has the same "${ANNOTATION}" twice`;
      names.add(name.toLowerCase());
      annotations.push({ name, path });
    }
    for (const [key, parameter] of entriesOf(schema['properties'])) {
      const problem = visit(parameter, path && [...path, key]);
      if (problem !== undefined) return problem;
    }
    const others = [
      ...OTHER_KEYWORDS.flatMap((keyword) => schema[keyword]),
      ...OTHER_MAPS.flatMap((keyword) => entriesOf(schema[keyword]).map(([, each]) => each)),
    ];
    for (const each of others) {
      const problem = visit(each, undefined);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return { problem: visit(inputSchema, []), annotations };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}

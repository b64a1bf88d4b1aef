import { headerProblem } from '@mcp-fittings/toolbox/connect';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { parameterHeaders } from '@mcp-fittings/toolbox/parameter-headers';

/** Keyword of a parameter whose value is sent in a header too. */
const ANNOTATION = 'x-mcp-header';
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose values are data, whatever they contain. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/**
 * Returns what is wrong with the header annotations of an input schema; `undefined` if they are valid. Over HTTP a client must
 * leave out a tool whose annotations are not valid (SEP-2243). The depth of the schema has been bounded before.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (custom headers)
 */
export function headerAnnotationProblem(inputSchema: unknown): string | undefined {
  const names = new Set<string>();
  const problem = problemIn(inputSchema, 'root', names);
  if (problem !== undefined || parameterHeaders(inputSchema).length === names.size) return problem;
  return `has an "${ANNOTATION}" that is too long or too deep`;
}

/** A schema is that of all arguments, of a parameter that `properties` alone lead to, or of something else, such as a list of schemas. */
function problemIn(
  schema: unknown,
  place: 'root' | 'parameter' | 'other',
  names: Set<string>,
): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if (isRecord(schema) && ANNOTATION in schema) {
    const name = schema[ANNOTATION];
    if (place !== 'parameter') return `has "${ANNOTATION}" on something other than a parameter`;
    if (typeof name !== 'string' || headerProblem(name, '') !== undefined)
      return `has an "${ANNOTATION}" that is not a valid header name`;
    if (!TYPES.has(schema['type']))
      return `has "${ANNOTATION}" on a parameter that is not a string, integer or boolean`;
    if (names.has(name.toLowerCase())) return `has the same "${ANNOTATION}" twice`;
    names.add(name.toLowerCase());
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (DATA.has(keyword)) continue;
    const properties = keyword === 'properties' && isRecord(value) ? Object.values(value) : undefined;
    const inner = properties === undefined || place === 'other' ? 'other' : 'parameter';
    for (const each of properties ?? [value]) {
      const problem = problemIn(each, inner, names);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

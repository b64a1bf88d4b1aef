import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { copyJson, isJsonObject, type JsonLimits, type JsonObject } from '../json/copy-json.js';
import { formatPointer } from '../json/json-pointer.js';
import { subschemas, type Schema } from './subschemas.js';

/**
 * The largest schema that is accepted from a server. A schema that exceeds a limit is rejected with `SCHEMA_REFUSED`. The
 * largest of 460 schemas of real servers has 264 values.
 */
export interface SchemaLimits extends JsonLimits {
  /** Maximum number of values in one `enum`. Default 5000. */
  readonly maxEnum: number;
  /** Maximum number of schemas in one `anyOf`, `oneOf` or `allOf`. Default 1000. */
  readonly maxBranches: number;
}

const DEFAULT_SCHEMA_LIMITS: SchemaLimits = {
  maxDepth: 64,
  maxNodes: 20_000,
  maxCharacters: 200_000,
  maxEnum: 5_000,
  maxBranches: 1_000,
};

/** A schema within the limits, with its size. */
export interface AcceptedSchema {
  readonly schema: JsonObject;
  readonly nodes: number;
  readonly characters: number;
}

/** Where a schema comes from, for error messages. */
export interface SchemaSource {
  readonly server: string;
  /** For example `input schema of the tool "search"`. */
  readonly label: string;
}

/** Copies a server's schema as plain JSON. Throws `SCHEMA_REFUSED` if it exceeds the limits. */
export function acceptSchema(
  schema: unknown,
  limits: Partial<SchemaLimits> = {},
  source?: SchemaSource,
): AcceptedSchema {
  const allLimits = { ...DEFAULT_SCHEMA_LIMITS, ...limits };
  const copy = copyJson(schema, allLimits);
  if (copy.problem !== undefined) throw refused(`it ${copy.problem}`, source);
  if (!isJsonObject(copy.value)) throw refused('it is not an object', source);
  const problem = lengthProblem(copy.value, [], allLimits);
  if (problem !== undefined) throw refused(problem, source);
  return { schema: copy.value, nodes: copy.nodes, characters: copy.characters };
}

/** Why this schema, or one inside it, is too long. */
function lengthProblem(schema: Schema, path: readonly string[], limits: SchemaLimits): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  for (const keyword of ['enum', 'anyOf', 'oneOf', 'allOf']) {
    const value = schema[keyword];
    const max = keyword === 'enum' ? limits.maxEnum : limits.maxBranches;
    if (Array.isArray(value) && value.length > max) {
      const where = sanitizeText(formatPointer(path), { maxLength: 120 });
      return `its ${keyword} at "${where}" has more than ${max} elements`;
    }
  }
  for (const [step, inner] of subschemas(schema)) {
    const problem = lengthProblem(inner, [...path, ...step], limits);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function refused(why: string, source: SchemaSource | undefined): FittingsError {
  return new FittingsError('SCHEMA_REFUSED', `The ${source?.label ?? 'schema'} is rejected: ${why}.`, {
    ...(source !== undefined && { server: source.server }),
    hint: 'The tool cannot be offered to a model until its author changes the schema, or you raise `schemaLimits`.',
  });
}

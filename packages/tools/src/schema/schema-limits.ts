import { FittingsError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { copyJson, isJsonObject, type JsonObject } from '../json/copy-json.js';
import { formatPointer } from '../json/json-pointer.js';
import { forEachSubschema, type Schema } from './subschemas.js';

/**
 * The largest schema that is accepted from a server. A schema that exceeds a limit is rejected with `SCHEMA_REFUSED`. The
 * largest of 460 schemas of real servers has 264 values.
 */
export interface SchemaLimits {
  /** Maximum levels of nested objects and arrays. Default 64. */
  readonly maxDepth: number;
  /** Maximum number of values, counting every object, array and scalar. Default 20 000. */
  readonly maxNodes: number;
  /** Maximum characters (UTF-16 code units) of all strings and keys together. Default 200 000. */
  readonly maxCharacters: number;
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
interface AcceptedSchema {
  readonly schema: JsonObject;
  readonly nodes: number;
  readonly characters: number;
}

/** Names the source of a schema in error messages. */
interface SchemaSource {
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
  const problem = lengthProblem(copy.value, allLimits);
  if (problem !== undefined) throw refused(problem, source);
  return { schema: copy.value, nodes: copy.nodes, characters: copy.characters };
}

/** Accepts the schemas of a tool. Throws `SCHEMA_REFUSED` if one exceeds the limits. */
export function acceptSchemas(
  tool: {
    readonly server: string;
    readonly name: string;
    readonly inputSchema: unknown;
    readonly outputSchema?: unknown;
  },
  limits: Partial<SchemaLimits>,
): { readonly input: AcceptedSchema; readonly output: AcceptedSchema | undefined } {
  const { server, inputSchema, outputSchema } = tool;
  const name = sanitizeText(tool.name, { maxLength: 120 });
  const accept = (schema: unknown, kind: string): AcceptedSchema =>
    acceptSchema(schema, limits, { server, label: `${kind} schema of the tool "${name}"` });
  return {
    input: accept(inputSchema, 'input'),
    output: outputSchema === undefined ? undefined : accept(outputSchema, 'output'),
  };
}

/** Returns why this schema, or one inside it, is too long. */
function lengthProblem(root: JsonObject, limits: SchemaLimits): string | undefined {
  let problem: string | undefined;
  const path: string[] = [];
  const visit = (schema: Schema, ...steps: readonly string[]): void => {
    if (problem !== undefined || typeof schema === 'boolean') return;
    path.push(...steps);
    for (const keyword of LISTS) {
      const value = schema[keyword];
      const max = keyword === 'enum' ? limits.maxEnum : limits.maxBranches;
      if (!Array.isArray(value) || value.length <= max) continue;
      const where = sanitizeText(formatPointer(path), { maxLength: 120 });
      problem = `its ${keyword} at "${where}" has more than ${max} elements`;
      return;
    }
    forEachSubschema(schema, visitInner);
    path.length -= steps.length;
  };
  const visitInner = (inner: Schema, keyword: string, step?: string): void =>
    step === undefined ? visit(inner, keyword) : visit(inner, keyword, step);
  visit(root);
  return problem;
}

const LISTS = ['enum', 'anyOf', 'oneOf', 'allOf'];

function refused(why: string, source: SchemaSource | undefined): FittingsError {
  return new FittingsError('SCHEMA_REFUSED', `The ${source?.label ?? 'schema'} is rejected: ${why}.`, {
    ...(source !== undefined && { server: source.server }),
    hint: 'The tool cannot be offered to a model until its author changes the schema, or you raise `schemaLimits`.',
  });
}

import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { CatalogTool, ToolAnnotations, ToolRef } from '@mcp-fittings/host';
import { modelSchema, type ModelSchema, type ModelSchemaConversion } from './model-schema.js';
import { convertAccepted, type ConvertedSchema } from '../schema-to-zod/convert-schema.js';
import type { SchemaDifference } from '../schema/schema-differences.js';
import { acceptSchemas, type SchemaLimits } from '../schema/schema-limits.js';

/** A tool of a server in the form that model APIs accept. */
export interface ModelTool {
  /** The name by which the model calls the tool. */
  readonly name: string;
  /** The server and the tool that the name stands for. */
  readonly ref: ToolRef;
  /** One line for the user, free of control sequences, at most 120 characters. */
  readonly title: string;
  /** For the model, free of control sequences, at most 10 000 characters. The title if the server gives no description. */
  readonly description: string;
  /**
   * For the model: the server's schema, with texts free of control sequences, and repaired where model APIs would reject the
   * whole request. A property whose name they do not accept has another name: see {@link ModelTool.originalArguments}.
   */
  readonly inputSchema: ModelSchema;
  /** Places where `inputSchema` differs from the server's schema, at most 50. */
  readonly repairs: readonly SchemaDifference[];
  /**
   * Converts arguments with the names of `inputSchema` to the names that the server uses. {@link Toolset.call} does so itself.
   * @throws {FittingsError} `ARGUMENTS_INVALID` if they are too large to be matched with the schema.
   */
  originalArguments(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /**
   * The annotations of the tool, with the cautious value where one is missing. A server may lie: use them to sort and to display, and
   * to decide only if the server is trusted.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools (tool annotations are untrusted)
   */
  readonly traits: {
    /** True if the tool changes nothing (`readOnlyHint`). Default false. */
    readonly isReadOnly: boolean;
    /** True if it may delete or overwrite something (`destructiveHint`). Default true, unless it is read-only. */
    readonly isDestructive: boolean;
    /** True if a second call with the same arguments has no effect (`idempotentHint`). Default false, unless it is read-only. */
    readonly isIdempotent: boolean;
    /** True if it interacts with external systems (`openWorldHint`). Default true. */
    readonly isOpenWorld: boolean;
  };
  /** The schema of the arguments, with the server's names, as a Zod schema. */
  readonly input: ConvertedSchema;
  /** The schema of the structured content as a Zod schema. Undefined if the server gives none. */
  readonly output: ConvertedSchema | undefined;
  /** The tool as the server sent it, unchanged: escape its texts before you show them. */
  readonly definition: CatalogTool;
  /** With `defer.native: 'anthropic'`, true for a tool that a search has loaded. Otherwise undefined. */
  readonly deferLoading?: true | undefined;
}

/** The part of a {@link ModelTool} that does not depend on its name. Schemas are converted when they are first read. */
export type PreparedTool = Omit<ModelTool, 'name' | 'deferLoading'> & {
  /** Size that the schemas of the tool add to the list of its server. */
  readonly cost: { readonly nodes: number; readonly characters: number };
};

const MAX_DESCRIPTION_LENGTH = 10_000;
const MAX_TITLE_LENGTH = 120;

/** Prepares a tool. Throws `SCHEMA_REFUSED` if one of its schemas exceeds the limits. */
export function prepareTool(tool: CatalogTool, limits: Partial<SchemaLimits>): PreparedTool {
  const { input, output } = acceptSchemas(tool, limits);
  const cost = {
    nodes: input.nodes + (output?.nodes ?? 0),
    characters: input.characters + (output?.characters ?? 0),
  };
  const { description, annotations } = tool;
  const heading = [tool.title, annotations?.title, tool.name].find((text) => isText(text)) ?? '';
  const title = sanitizeText(heading, { maxLength: MAX_TITLE_LENGTH });
  let forModel: ModelSchemaConversion | undefined;
  let convertedInput: ConvertedSchema | undefined;
  let convertedOutput: ConvertedSchema | undefined;
  const conversion = (): ModelSchemaConversion => (forModel ??= modelSchema(input.schema));
  return {
    definition: tool,
    cost,
    ref: { server: tool.server, tool: tool.name },
    title,
    description: isText(description)
      ? sanitizeText(description, { maxLength: MAX_DESCRIPTION_LENGTH, multiline: true })
      : title,
    traits: toolTraits(annotations),
    originalArguments: (args) => conversion().originalArguments?.(args) ?? args,
    get inputSchema() {
      return conversion().schema;
    },
    get repairs() {
      return conversion().repairs;
    },
    get input() {
      return (convertedInput ??= convertAccepted(input.schema));
    },
    get output() {
      return output && (convertedOutput ??= convertAccepted(output.schema));
    },
  };
}

/**
 * Creates a function that computes its result anew only if an element of the list is another object than last time. The tools of a
 * host stay the same objects until their server lists other ones, so that a snapshot per turn costs nothing while nothing changes.
 */
export function forSameList<Item extends object, Result>(
  compute: (list: readonly Item[]) => Result,
): (list: readonly Item[]) => Result {
  let last: { readonly list: readonly Item[]; readonly result: Result } | undefined;
  return (list) => {
    if (last === undefined || !isSame(last.list, list)) {
      // A copy, because the caller may change its array.
      last = { list: [...list], result: compute(list) };
    }
    return last.result;
  };
}

const isSame = (before: readonly object[], after: readonly object[]): boolean =>
  before.length === after.length && before.every((item, index) => item === after[index]);

/** Creates a function that gives prepared tools their names. A tool with the same name as before stays the same object. */
export function createToolNaming(): (prepared: PreparedTool, name: string) => ModelTool {
  const known = new WeakMap<PreparedTool, ModelTool>();
  return (prepared, name) => {
    const before = known.get(prepared);
    if (before?.name === name) return before;
    const named = nameTool(prepared, name);
    known.set(prepared, named);
    return named;
  };
}

/** Returns a tool under a name. Its schemas are still converted when they are first read. */
export function nameTool(
  tool: Omit<ModelTool, 'name' | 'deferLoading'>,
  name: string,
  marks: Pick<ModelTool, 'deferLoading'> = {},
): ModelTool {
  const { ref, title, description, traits, definition } = tool;
  return {
    name,
    ref,
    title,
    description,
    traits,
    definition,
    ...marks,
    originalArguments: (args) => tool.originalArguments(args),
    get inputSchema() {
      return tool.inputSchema;
    },
    get repairs() {
      return tool.repairs;
    },
    get input() {
      return tool.input;
    },
    get output() {
      return tool.output;
    },
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** Reads the annotations of a tool, with the cautious value where one is missing. */
function toolTraits(annotations: ToolAnnotations | undefined): ModelTool['traits'] {
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    isReadOnly,
    isDestructive: !isReadOnly && annotations?.destructiveHint !== false,
    isIdempotent: isReadOnly || annotations?.idempotentHint === true,
    isOpenWorld: annotations?.openWorldHint !== false,
  };
}

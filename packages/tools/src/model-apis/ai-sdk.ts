import type { Toolset } from '../calls/toolset.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { Rendering } from '../results/rendering.js';
import { type DefinitionOptions, flattenRoot } from './flatten-root.js';
import { withShortDescription } from '../deferral/search-tool.js';
import { contentOf, textContent } from './result-content.js';

/** A tool of the AI SDK, assignable to its `Tool`. */
export type AiSdkTool<Version extends 6 | 7 = 6> = {
  /** {@link ModelTool.description}. */
  description: string;
  /** {@link ModelTool.title}. */
  title: string;
  /** {@link ModelTool.inputSchema} as a schema of the AI SDK, which accepts anything: the call checks the arguments. */
  inputSchema: {
    /** The interfaces of Standard Schema and Standard JSON Schema. @see https://standardschema.dev/json-schema */
    readonly '~standard': {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { readonly value: unknown };
      readonly jsonSchema: {
        readonly input: () => Record<string, unknown>;
        readonly output: () => Record<string, unknown>;
      };
    };
    /** The schema that the AI SDK sends to the model. */
    readonly jsonSchema: ModelSchema;
    /** Undefined, so that the AI SDK does not check the arguments itself. */
    readonly validate: undefined;
  };
  /** Calls the tool with {@link Toolset.run}. Does not reject. */
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<Rendering>;
  /** Converts the result of `execute` for the model. */
  toModelOutput: (options: { output: Rendering }) => AiSdkToolOutput<Version>;
};

/** A result in the form of `toModelOutput` of a version of the AI SDK. */
export type AiSdkToolOutput<Version extends 6 | 7 = 6> =
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: (
        | { type: 'text'; text: string }
        | (Version extends 6
            ? | { type: 'image-data'; data: string; mediaType: string }
              | { type: 'file-data'; data: string; mediaType: string }
            : { type: 'file'; mediaType: string; data: { type: 'data'; data: string } })
      )[];
    };

/** The model may be one of OpenAI, which accepts no longer description. */
const MAX_SEARCH_DESCRIPTION = 1_024;
/** The AI SDK recognizes its own schemas by this symbol and passes them on unchanged; it closes objects of all others. */
const AI_SDK_SCHEMA: unique symbol = Symbol.for('vercel.ai.schema');

/**
 * Converts a toolset for `generateText({ tools })` and similar functions of the AI SDK, which runs the tools itself. Each call
 * uses the permissions, checks and rendering of the toolset. A failed call is an output for the model, not an exception.
 * @param options `version` is the major version of the AI SDK. Default 6. Version 7 also accepts the output for 6, with a warning
 * that images in that form are deprecated. If tools are deferred, pass {@link aiSdkPrepareStep} too.
 * @see https://ai-sdk.dev/docs/foundations/tools
 * @example
 * ```ts
 * const { text } = await generateText({ model, prompt, tools: aiSdkTools(tools.snapshot()) });
 * ```
 */
export function aiSdkTools<Version extends 6 | 7 = 6>(
  toolset: Toolset,
  { version, ...options }: DefinitionOptions & { readonly version?: Version | undefined } = {},
): Record<string, AiSdkTool<Version>> {
  const offered = new Map(toolset.tools.map((tool) => [tool.name, tool]));
  // The AI SDK takes all tools that a step may have at the start.
  for (const tool of toolset.deferred) if (!offered.has(tool.name)) offered.set(tool.name, tool);
  return Object.fromEntries(
    Array.from(offered.values(), (tool) => [
      tool.name,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the version says which output it is
      aiSdkTool(tool, toolset, version ?? 6, options) as AiSdkTool<Version>,
    ]),
  );
}

function aiSdkTool(
  given: ModelTool,
  toolset: Toolset,
  version: 6 | 7,
  options: DefinitionOptions,
): AiSdkTool<6 | 7> {
  const tool = withShortDescription(given, MAX_SEARCH_DESCRIPTION);
  const inputSchema = aiSdkSchema(() => flattenRoot(tool, options));
  // A program that asks for the differences gets them now.
  if (options.onDifference !== undefined) void inputSchema.jsonSchema;
  return {
    description: tool.description,
    title: tool.title,
    inputSchema,
    toModelOutput: ({ output }) => toOutput(output, version),
    async execute(input, { abortSignal }) {
      const { rendering } = await toolset.run(tool.name, input, { signal: abortSignal });
      return rendering;
    },
  };
}

function aiSdkSchema(
  convert: () => ModelSchema,
): AiSdkTool['inputSchema'] & { readonly [AI_SDK_SCHEMA]: true } {
  let converted: ModelSchema | undefined;
  const jsonSchema = (): ModelSchema => (converted ??= convert());
  const copy = (): ModelSchema => structuredClone(jsonSchema());
  return {
    // A deferred tool may never be sent.
    get jsonSchema() {
      return jsonSchema();
    },
    validate: undefined,
    '~standard': {
      version: 1,
      vendor: 'mcp-fittings',
      validate: (value) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
    [AI_SDK_SCHEMA]: true,
  };
}

/**
 * Returns a `prepareStep` for the AI SDK with which each step has the tools that were loaded so far. Needed if tools are deferred;
 * otherwise each step has all tools.
 * @example
 * ```ts
 * const turn = tools.snapshot(conversation);
 * await generateText({ model, prompt, tools: aiSdkTools(turn), prepareStep: aiSdkPrepareStep(turn) });
 * ```
 */
export function aiSdkPrepareStep(toolset: Toolset): () => { activeTools: string[] } {
  return () => ({ activeTools: toolset.activeTools().map(({ name }) => name) });
}

function toOutput(rendering: Rendering, version: 6 | 7): AiSdkToolOutput<6 | 7> {
  if (rendering.isError) return { type: 'error-text', value: textContent(rendering) };
  return {
    type: 'content',
    value: contentOf(rendering).map((part) => {
      if (part.type === 'text') return part;
      const { data, mimeType: mediaType } = part;
      if (version === 7) return { type: 'file', mediaType, data: { type: 'data', data } };
      return { type: part.type === 'image' ? 'image-data' : 'file-data', data, mediaType };
    }),
  };
}

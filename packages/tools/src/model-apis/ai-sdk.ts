import type { ModelTool } from '../model-tool.js';
import {
  aiSdk7ToolOutput,
  aiSdkToolOutput,
  type AiSdk7ToolOutput,
  type AiSdkToolOutput,
} from './for-model-api.js';
import type { Rendering } from '../results/rendering.js';
import type { Toolset } from '../create-tools.js';
import { withFlatRoot } from './flatten-root.js';
import type { ModelSchema } from '../model-schema/model-schema.js';

/** A tool as the AI SDK takes it, without depending on it. */
export type AiSdkTool<Output = AiSdkToolOutput> = {
  description: string;
  title: string;
  inputSchema: AiSdkSchema;
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<Rendering>;
  toModelOutput: (options: { output: Rendering }) => Output;
};

/** A Standard Schema for the types, and the AI SDK's own kind of schema at run time. */
export type AiSdkSchema = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
  readonly jsonSchema: ModelSchema;
  readonly validate: undefined;
};

/** How the AI SDK marks its schemas. It passes these on as they are, where it closes the objects of others. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

/**
 * The tools of a toolset for `generateText({ tools })` and the like. Permissions, checks and rendering are those of the
 * toolset. A failed call is an output for the model, not an exception. `version` is that of the AI SDK, default 6: version 7
 * takes what 6 takes, with a warning that images are deprecated.
 */
export function aiSdkTools(
  toolset: Toolset,
  options?: { readonly version?: 6 | undefined },
): Record<string, AiSdkTool>;
/** The same for version 7 of the AI SDK, which takes images and sounds as files. */
export function aiSdkTools(
  toolset: Toolset,
  options: { readonly version: 7 },
): Record<string, AiSdkTool<AiSdk7ToolOutput>>;
export function aiSdkTools(
  toolset: Toolset,
  { version = 6 }: { readonly version?: 6 | 7 | undefined } = {},
): Record<string, AiSdkTool<AiSdkToolOutput | AiSdk7ToolOutput>> {
  const output = (rendering: Rendering): AiSdkToolOutput | AiSdk7ToolOutput =>
    version === 7 ? aiSdk7ToolOutput(rendering) : aiSdkToolOutput(rendering);
  return Object.fromEntries(toolset.tools.map((tool) => [tool.name, aiSdkTool(tool, toolset, output)]));
}

function aiSdkTool<Output>(
  tool: ModelTool,
  toolset: Toolset,
  toOutput: (rendering: Rendering) => Output,
): AiSdkTool<Output> {
  return {
    description: tool.description,
    title: tool.title,
    inputSchema: aiSdkSchema(withFlatRoot(tool.inputSchema)),
    toModelOutput: ({ output }) => toOutput(output),
    async execute(input, { abortSignal }) {
      const { rendering } = await toolset.run(tool.name, input, { signal: abortSignal });
      return rendering;
    },
  };
}

/** It accepts anything: the call checks the arguments, within its budget and with errors that a model can read. */
function aiSdkSchema(jsonSchema: ModelSchema): AiSdkSchema {
  const schema: AiSdkSchema = {
    jsonSchema,
    validate: undefined,
    '~standard': { version: 1, vendor: 'mcp-fittings', validate: (value) => ({ value }) },
  };
  return Object.assign(schema, { [AI_SDK_SCHEMA]: true });
}

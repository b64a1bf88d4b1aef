import type { ModelTool } from '../model-tool.js';
import { aiSdkToolOutput, type AiSdkToolOutput } from '../results/for-model-api.js';
import type { Rendering } from '../results/rendering.js';
import type { Toolset } from '../toolset.js';
import { withFlatRoot } from './flat-root.js';
import type { ModelSchema } from './model-schema.js';

/** A tool as the AI SDK takes it (version 6), without depending on it. */
export type AiSdkTool = {
  description: string;
  title: string;
  inputSchema: AiSdkSchema;
  execute: (input: unknown, options: { abortSignal?: AbortSignal | undefined }) => Promise<Rendering>;
  toModelOutput: (options: { output: Rendering }) => AiSdkToolOutput;
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
 * toolset. A failed call is an output for the model, not an exception.
 */
export function aiSdkTools(toolset: Toolset): Record<string, AiSdkTool> {
  return Object.fromEntries(toolset.tools.map((tool) => [tool.name, aiSdkTool(tool, toolset)]));
}

function aiSdkTool(tool: ModelTool, toolset: Toolset): AiSdkTool {
  return {
    description: tool.description,
    title: tool.title,
    inputSchema: aiSdkSchema(withFlatRoot(tool.inputSchema)),
    toModelOutput: ({ output }) => aiSdkToolOutput(output),
    async execute(input, { abortSignal }) {
      let rendering: Rendering = { parts: [], text: '', isError: false };
      for await (const event of toolset.call(tool.name, input, { signal: abortSignal })) {
        if (event.type === 'result' || event.type === 'error') ({ rendering } = event);
      }
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

import { truncateText } from '@mcp-fittings/client-core/text';
import type { ModelTool } from '../model-tool.js';
import { withFlatRoot } from './flat-root.js';
import type { ModelSchema } from './model-schema.js';
import { strictModeProblem } from './openai-strict.js';

export interface OpenAiOptions {
  /**
   * Ask for strict mode where the schema of a tool meets its demands as it is. Default false. No schema is rewritten to
   * meet them: the model would then send `null` for what a server expects to be absent.
   */
  readonly strictWherePossible?: boolean | undefined;
  /** Told of each tool for which strict mode was wanted and is not asked for, with the reason. */
  readonly onNotStrict?: ((tool: { readonly name: string; readonly reason: string }) => void) | undefined;
}

export type OpenAiFunction = {
  name: string;
  description: string;
  parameters: ModelSchema;
  strict: boolean;
};

export type OpenAiResponsesTool = { type: 'function' } & OpenAiFunction;
export type OpenAiChatTool = { type: 'function'; function: OpenAiFunction };

/** The API refuses longer descriptions. */
const LONGEST_DESCRIPTION = 1_024;

/**
 * Tool definitions for the Responses API, which takes no combination at the root of a schema.
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export function openAiResponsesTools(
  tools: readonly ModelTool[],
  options: OpenAiOptions = {},
): OpenAiResponsesTool[] {
  return tools.map((tool) => ({ type: 'function', ...openAiFunction(tool, options) }));
}

/** The same for the Chat Completions API. @see https://platform.openai.com/docs/api-reference/chat */
export function openAiChatTools(tools: readonly ModelTool[], options: OpenAiOptions = {}): OpenAiChatTool[] {
  return tools.map((tool) => ({ type: 'function', function: openAiFunction(tool, options) }));
}

function openAiFunction(tool: ModelTool, options: OpenAiOptions): OpenAiFunction {
  const parameters = withFlatRoot(tool.inputSchema);
  const problem = options.strictWherePossible === true ? notStrict(tool, parameters) : undefined;
  if (problem !== undefined) options.onNotStrict?.({ name: tool.name, reason: problem });
  return {
    name: tool.name,
    description: truncateText(tool.description, LONGEST_DESCRIPTION),
    parameters,
    strict: options.strictWherePossible === true && problem === undefined,
  };
}

function notStrict(tool: ModelTool, parameters: ModelSchema): string | undefined {
  const [repair] = tool.repairs;
  if (repair !== undefined) return `${repair.pointer || 'the root'}: ${repair.keyword}: ${repair.reason}`;
  // What the check of the arguments demands beyond `parameters` is not what a strict mode would promise.
  if (parameters !== tool.inputSchema) return 'the root has a combination';
  return strictModeProblem(parameters);
}

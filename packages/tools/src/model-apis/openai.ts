import { truncateText } from '@mcp-fittings/toolbox/text';
import type { ModelTool } from '../model-tools/model-tool.js';
import type { ModelSchema } from '../model-tools/model-schema.js';
import type { Rendering } from '../results/rendering.js';
import { type DefinitionOptions, flattenRoot } from './flatten-root.js';
import { withShortDescription } from '../deferral/search-tool.js';
import { strictModeProblem } from './openai-strict.js';
import { mapContent, textContent } from './result-content.js';

/** Options of {@link toOpenAiResponses} and {@link toOpenAiChat}. */
export interface OpenAiOptions extends DefinitionOptions {
  /**
   * If true, strict mode is used for each tool whose schema meets its requirements as it is. Default false. A schema is never rewritten to
   * meet them: the model would send `null` where a server expects a missing property.
   */
  readonly strictWherePossible?: boolean | undefined;
  /** Called for each tool that `strictWherePossible` does not apply to, with the reason. */
  readonly onNotStrict?: ((tool: { readonly name: string; readonly reason: string }) => void) | undefined;
}

/** A tool of the Responses API, assignable to `OpenAI.Responses.FunctionTool`. */
export type OpenAiResponsesTool = {
  /** Marks the tool as a function. */
  type: 'function';
  /** The name in function calls: {@link ModelTool.name}. */
  name: string;
  /**
   * {@link ModelTool.description}, truncated to 1024 characters. The list of tools of `tool_search` is in its parameter instead.
   */
  description: string;
  /** {@link ModelTool.inputSchema}, without `anyOf`, `oneOf` and `allOf` at its root. */
  parameters: ModelSchema;
  /** If true, the model must follow the schema exactly. */
  strict: boolean;
};

/** The API rejects longer descriptions. */
const MAX_DESCRIPTION_LENGTH = 1_024;

/**
 * Converts tools for the Responses API. It rejects schemas with `anyOf`, `oneOf` or `allOf` at the root: their properties are
 * merged into the root, and the check of the arguments still uses the whole schema.
 * @see https://platform.openai.com/docs/api-reference/responses
 * @example
 * ```ts
 * const offered = tools.snapshot();
 * const request = { tools: openAiResponsesTools(offered.tools, { strictWherePossible: true }) };
 * ```
 */
export function openAiResponsesTools(
  tools: readonly ModelTool[],
  options: OpenAiOptions = {},
): OpenAiResponsesTool[] {
  return tools.map((tool) => openAiFunction(tool, options));
}

/**
 * Converts tools for the Chat Completions API, as {@link openAiResponsesTools} does for the Responses API. Each is assignable to
 * `OpenAI.ChatCompletionFunctionTool`.
 * @see https://platform.openai.com/docs/api-reference/chat
 * @example
 * ```ts
 * const offered = tools.snapshot();
 * const request = { tools: openAiChatTools(offered.tools) };
 * ```
 */
export function openAiChatTools(
  tools: readonly ModelTool[],
  options: OpenAiOptions = {},
): {
  /** Marks the tool as a function. */
  type: 'function';
  /** The function. */
  function: Omit<OpenAiResponsesTool, 'type'>;
}[] {
  return tools.map((tool) => {
    const { type, ...described } = openAiFunction(tool, options);
    return { type, function: described };
  });
}

/** Converts a tool for the Responses API. */
export function openAiFunction(given: ModelTool, options: OpenAiOptions): OpenAiResponsesTool {
  const tool = withShortDescription(given, MAX_DESCRIPTION_LENGTH);
  const parameters = flattenRoot(tool, options);
  const problem = options.strictWherePossible === true ? notStrictReason(tool, parameters) : undefined;
  if (problem !== undefined) options.onNotStrict?.({ name: tool.name, reason: problem });
  return {
    type: 'function',
    name: tool.name,
    description: truncateText(tool.description, MAX_DESCRIPTION_LENGTH),
    parameters,
    strict: options.strictWherePossible === true && problem === undefined,
  };
}

function notStrictReason(tool: ModelTool, parameters: ModelSchema): string | undefined {
  const [repair] = tool.repairs;
  if (repair !== undefined) return `${repair.pointer || 'the root'}: ${repair.keyword}: ${repair.reason}`;
  // The check of the arguments requires more than `parameters`, which strict mode would not guarantee.
  if (parameters !== tool.inputSchema) return 'the root has a combination';
  return strictModeProblem(parameters);
}

/**
 * Converts a result for the Responses API. Audio is described in the text, because the API does not accept it.
 * @param callId The `call_id` of the function call.
 * @returns an item that is assignable to `OpenAI.Responses.ResponseInputItem`.
 * @see https://platform.openai.com/docs/api-reference/responses
 * @example
 * ```ts
 * const { rendering } = await offered.run(call.name, JSON.parse(call.arguments));
 * input.push(openAiFunctionOutput(call.call_id, rendering));
 * ```
 */
export function openAiFunctionOutput(
  callId: string,
  rendering: Rendering,
): {
  /** Marks the item as the output of a function call. */
  type: 'function_call_output';
  /** The `call_id` of the function call. */
  call_id: string;
  /** The text and images of the result. Never empty. */
  output: (
    { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' }
  )[];
} {
  const output = mapContent<ReturnType<typeof openAiFunctionOutput>['output'][number]>(
    rendering,
    (part) => part.type === 'image',
    (text) => ({ type: 'input_text', text }),
    ({ mimeType, data }) => ({
      type: 'input_image',
      image_url: `data:${mimeType};base64,${data}`,
      detail: 'auto',
    }),
  );
  if (rendering.isError) output.unshift({ type: 'input_text', text: 'The call failed:' });
  return { type: 'function_call_output', call_id: callId, output };
}

/**
 * Converts a result for the Chat Completions API. Its tool messages are text only; images and audio are described.
 * @param toolCallId The `id` of the tool call.
 * @returns a message that is assignable to `OpenAI.ChatCompletionToolMessageParam`.
 * @see https://platform.openai.com/docs/api-reference/chat
 * @example
 * ```ts
 * const { rendering } = await offered.run(call.function.name, JSON.parse(call.function.arguments));
 * messages.push(openAiToolMessage(call.id, rendering));
 * ```
 */
export function openAiToolMessage(
  toolCallId: string,
  rendering: Rendering,
): {
  /** Marks the message as the result of a tool. */
  role: 'tool';
  /** The `id` of the tool call. */
  tool_call_id: string;
  /** The text of the result; begins with "The call failed:" if the call or the tool failed. */
  content: string;
} {
  const text = textContent(rendering);
  const content = rendering.isError ? `The call failed: ${text}` : text;
  return { role: 'tool', tool_call_id: toolCallId, content };
}

import {
  anthropicToolResult,
  anthropicTools,
  geminiFunctionResponse,
  geminiFunctions,
  openAiChatTools,
  openAiFunctionOutput,
  openAiResponsesTools,
  openAiToolMessage,
  type ModelTool,
  type Rendering,
} from '@mcp-fittings/tools';

/** A tool call, independent of the model API. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

/** Converts tools and results for one model API. */
export interface ModelApi {
  readonly tools: (tools: readonly ModelTool[]) => readonly object[];
  readonly result: (call: ToolCall, rendering: Rendering) => object;
}

export const anthropic: ModelApi = {
  tools: anthropicTools,
  result: (call, rendering) => anthropicToolResult(call.id, rendering),
};

export const openAiChat: ModelApi = {
  tools: (tools) => openAiChatTools(tools),
  result: (call, rendering) => openAiToolMessage(call.id, rendering),
};

export const openAiResponses: ModelApi = {
  tools: (tools) => openAiResponsesTools(tools, { strictWherePossible: true }),
  result: (call, rendering) => openAiFunctionOutput(call.id, rendering),
};

export const gemini: ModelApi = {
  tools: geminiFunctions,
  result: geminiFunctionResponse,
};

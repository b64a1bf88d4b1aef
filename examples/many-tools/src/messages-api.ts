import type { AnthropicTool, AnthropicToolResult } from '@mcp-fittings/tools';

/** A request of the Messages API, as far as this example uses it. */
export interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly tools: readonly AnthropicTool[];
  readonly messages: readonly Message[];
}

export type Message =
  | { readonly role: 'user'; readonly content: string | readonly AnthropicToolResult[] }
  | { readonly role: 'assistant'; readonly content: readonly Block[] };

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object };

export interface MessagesResponse {
  readonly content: readonly Block[];
  readonly stop_reason: 'tool_use' | 'end_turn';
}

/**
 * The servers of a host for the OpenAI Agents SDK (`@openai/agents`).
 * @packageDocumentation
 */
export {
  createOpenAiAgentsAdapter,
  openAiAgentsNameLimits,
  type OpenAiAgentsAdapter,
  type OpenAiAgentsAdapterOptions,
} from './openai-agents-adapter.js';
export type { OpenAiAgentsServer, OpenAiAgentsToolResult } from './mcp-server.js';

/**
 * The servers of a host for the Claude Agent SDK (`@anthropic-ai/claude-agent-sdk`).
 * @packageDocumentation
 */
export {
  createClaudeAgentAdapter,
  type ClaudeAgentAdapter,
  type ClaudeAgentAdapterOptions,
  type ClaudeAgentServer,
} from './claude-agent-adapter.js';
export { fromOnElicitation, toOnElicitation, type ClaudeAgentElicitation } from './elicitation.js';
export type {
  ClaudeAgentCanUseTool,
  ClaudeAgentPermissionOptions,
  ClaudeAgentPermissionResult,
} from './permission.js';

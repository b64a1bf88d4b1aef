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
export {
  fromOnElicitation,
  toOnElicitation,
  type ClaudeAgentElicitation,
  type ClaudeAgentElicitationResult,
} from './elicitation.js';
export type {
  ClaudeAgentAllow,
  ClaudeAgentCanUseTool,
  ClaudeAgentDeny,
  ClaudeAgentPermissionOptions,
  ClaudeAgentPermissionResult,
} from './permission.js';
export type { ClaudeAgentCall } from './sdk-server.js';

/**
 * The tools of a host for models: names, schemas, permissions, calls and results.
 * @packageDocumentation
 */
export { createTools, type Tools, type ToolsOptions } from './create-tools.js';
export type { Toolset } from './calls/toolset.js';
export type { ModelTool } from './model-tools/model-tool.js';
export { toolVisibility } from './permissions/tool-visibility.js';

export { createToolNames, naming, type NamingStrategy, type ToolNames } from './names/tool-names.js';
export { nameLimits, type NameLimits } from './names/shorten-name.js';

export { convertSchema, type ConvertedSchema } from './schema-to-zod/convert-schema.js';
export type { SchemaLimits } from './schema/schema-limits.js';
export type { SchemaDifference } from './schema/schema-differences.js';
export { checkValue } from './validation/check-value.js';
export { describeIssues, type SchemaIssue } from './validation/schema-issues.js';

export {
  createToolPolicy,
  type ConfirmOutcome,
  type PolicyTool,
  type ToolPolicy,
  type ToolPolicyOptions,
} from './permissions/tool-policy.js';
export { createToolApprovals, type ApprovedTool, type ToolApprovals } from './permissions/tool-approvals.js';
export { createTrustedFolders, type TrustedFolders } from './permissions/trusted-folders.js';
export type { ToolPermission, ToolPermissions, ToolPolicyVerdict } from './permissions/tool-permissions.js';

export type { DeferOptions } from './deferral/defer-options.js';
export type { ToolConversation } from './deferral/tool-conversation.js';

export type { ToolHost } from './tool-host.js';
export type { ToolRunOptions } from './calls/call-tool.js';
export { AskedCalls } from './calls/asked-calls.js';
export { confirmCall, type Confirm, type ConfirmRequest } from './calls/confirm-call.js';
export type { LastToolEvent, ToolEvent } from './calls/toolset.js';
export { toolCallOutput, type ToolCallOutput } from './calls/tool-call-output.js';

export { renderError, renderForModel, renderForTerminal } from './results/render-result.js';
export type { RenderedPart, Rendering, RenderOptions } from './results/rendering.js';

export type { ModelSchema } from './model-tools/model-schema.js';
export type { DefinitionOptions } from './model-apis/flatten-root.js';
export { aiSdkPrepareStep, aiSdkTools, type AiSdkTool, type AiSdkToolOutput } from './model-apis/ai-sdk.js';
export {
  anthropicSearchTools,
  anthropicToolResult,
  anthropicTools,
  type AnthropicTool,
  type AnthropicToolResult,
} from './model-apis/anthropic.js';
export { geminiFunctionResponse, geminiFunctions } from './model-apis/gemini.js';
export {
  openAiChatTools,
  openAiFunctionOutput,
  openAiResponsesTools,
  openAiToolMessage,
  type OpenAiOptions,
  type OpenAiResponsesTool,
} from './model-apis/openai.js';
export { openAiSearchTools, openAiToolSearchOutput } from './model-apis/openai-tool-search.js';

/** A host's tools for models: names, schemas, permissions, calls and results. */
export { createTools, type Tools, type Toolset, type ToolsOptions } from './toolset.js';
export type { ModelTool } from './model-tool.js';
export type { SkippedTool, ToolListLimits } from './prepared-tools.js';
export { toolTraits, type ToolTraits } from './traits.js';

export { createToolNames, type ToolNames, type ToolNamesOptions } from './names/tool-names.js';
export { nameLimits, type NameLimits } from './names/name-limits.js';
export { naming, type NamingStrategy } from './names/naming.js';

export { convertSchema, type CheckPlan, type ConvertedSchema } from './schema/convert.js';
export type { Json, JsonObject } from './schema/plain-copy.js';
export type { SchemaLimits } from './schema/schema-limits.js';
export type { SchemaDifference } from './schema/loss.js';
export {
  createSchemaChecker,
  type SchemaChecker,
  type SchemaCheckerOptions,
} from './validation/schema-checker.js';
export { describeIssues } from './validation/issue-text.js';
export type { SchemaIssue } from './validation/raw-issue.js';

export {
  createToolPolicy,
  type ConfirmOutcome,
  type ToolPolicy,
  type ToolPolicyOptions,
  type PolicyTool,
} from './permissions/policy.js';
export {
  createToolApprovals,
  type ToolApprovals,
  type ToolApprovalStatus,
  type ApprovedTool,
  type SerializedToolApprovals,
} from './permissions/approvals.js';
export {
  createTrustedFolders,
  type SerializedTrustedFolders,
  type TrustedFolders,
} from './permissions/trusted-folders.js';
export type {
  ToolPolicyDecision,
  ToolPermission,
  ToolPolicyRule,
  ToolPermissions,
  ToolPolicyVerdict,
} from './permissions/server-permissions.js';

export type { Confirm, ConfirmRequest, RunOptions, ToolCallOptions, ToolHost } from './calls/call-tool.js';
export type { LastToolEvent, ToolEvent } from './calls/tool-event.js';

export { renderError, renderForModel, renderForPerson } from './results/render.js';
export type { RenderedPart, Rendering, RenderOptions } from './results/rendering.js';

export { anthropicTools, type AnthropicTool } from './definitions/anthropic.js';
export { geminiFunctions, type GeminiFunctionDeclaration } from './definitions/gemini.js';
export {
  openAiChatTools,
  openAiResponsesTools,
  type OpenAiChatTool,
  type OpenAiOptions,
  type OpenAiResponsesTool,
} from './definitions/openai.js';
export { aiSdkTools, type AiSdkTool } from './definitions/ai-sdk.js';
export type { ModelSchema } from './definitions/model-schema.js';
export {
  anthropicToolResult,
  geminiFunctionResponse,
  openAiFunctionOutput,
  openAiToolMessage,
} from './results/for-model-api.js';
export type { AiSdk7ToolOutput, AiSdkToolOutput } from './results/for-model-api.js';

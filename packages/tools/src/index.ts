/** A host's tools for models: names, schemas, permissions, calls and results. */
export { createTools, type Tools, type Toolset, type ToolsOptions } from './create-tools.js';
export type { ModelTool } from './model-tool.js';
export type { SkippedTool, ToolListLimits } from './offered-tools.js';
export { toolTraits, type ToolTraits } from './tool-traits.js';

export { createToolNames, type ToolNames, type ToolNamesOptions } from './names/tool-names.js';
export { nameLimits, type NameLimits } from './names/shorten-name.js';
export { naming, type NamingStrategy } from './names/naming-strategies.js';

export { convertSchema, type CheckPlan, type ConvertedSchema } from './schema-to-zod/convert-schema.js';
export type { Json, JsonObject } from './json/copy-json.js';
export type { SchemaLimits } from './schema/schema-limits.js';
export type { SchemaDifference } from './schema/schema-differences.js';
export {
  createSchemaChecker,
  type SchemaChecker,
  type SchemaCheckerOptions,
} from './validation/schema-checker.js';
export { describeIssues } from './validation/schema-issues.js';
export type { SchemaIssue } from './validation/raw-issue.js';

export {
  createToolPolicy,
  type ConfirmOutcome,
  type ToolPolicy,
  type ToolPolicyOptions,
  type PolicyTool,
} from './permissions/tool-policy.js';
export {
  createToolApprovals,
  type ToolApprovals,
  type ToolApprovalStatus,
  type ApprovedTool,
  type SerializedToolApprovals,
} from './permissions/tool-approvals.js';
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
} from './permissions/tool-permissions.js';

export type { Confirm, ConfirmRequest, RunOptions, ToolCallOptions, ToolHost } from './calls/call-tool.js';
export type { LastToolEvent, ToolEvent } from './calls/tool-event.js';

export { renderError, renderForModel, renderForPerson } from './results/render-result.js';
export type { RenderedPart, Rendering, RenderOptions } from './results/rendering.js';

export { anthropicTools, type AnthropicTool } from './model-apis/anthropic.js';
export { geminiFunctions, type GeminiFunctionDeclaration } from './model-apis/gemini.js';
export {
  openAiChatTools,
  openAiResponsesTools,
  type OpenAiChatTool,
  type OpenAiOptions,
  type OpenAiResponsesTool,
} from './model-apis/openai.js';
export { aiSdkTools, type AiSdkTool } from './model-apis/ai-sdk.js';
export type { ModelSchema } from './model-schema/model-schema.js';
export {
  anthropicToolResult,
  geminiFunctionResponse,
  openAiFunctionOutput,
  openAiToolMessage,
} from './model-apis/for-model-api.js';
export type { AiSdk7ToolOutput, AiSdkToolOutput } from './model-apis/for-model-api.js';

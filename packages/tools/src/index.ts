/**
 * The tools of a host for models: names, schemas, permissions, calls and results.
 * @packageDocumentation
 */
export { createTools, type Tools, type ToolsOptions } from './create-tools.js';
export type { Toolset } from './calls/toolset.js';
export type { ModelTool } from './model-tools/model-tool.js';
export type { SkippedTool, ToolListLimits } from './model-tools/offered-tools.js';
export { toolTraits, type ToolTraits } from './permissions/tool-traits.js';
export { toolVisibility, type ToolVisibility } from './permissions/tool-visibility.js';

export { createToolNames, type ToolNames, type ToolNamesOptions } from './names/tool-names.js';
export { nameLimits, type NameLimits } from './names/shorten-name.js';
export { naming, type NamingStrategy } from './names/naming-strategies.js';

export { convertSchema, type ConvertedSchema } from './schema-to-zod/convert-schema.js';
export type { Json, JsonLimits, JsonObject } from './json/copy-json.js';
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
export {
  createToolApprovals,
  type ApprovedTool,
  type SerializedToolApprovals,
  type ToolApprovals,
  type ToolApprovalStatus,
} from './permissions/tool-approvals.js';
export {
  createTrustedFolders,
  type SerializedTrustedFolders,
  type TrustedFolders,
} from './permissions/trusted-folders.js';
export type {
  ToolPermission,
  ToolPermissions,
  ToolPolicyDecision,
  ToolPolicyRule,
  ToolPolicyVerdict,
} from './permissions/tool-permissions.js';

export type { DeferMode, DeferOptions } from './deferral/defer-options.js';
export type {
  LoadedTool,
  SerializedToolConversation,
  ToolConversation,
} from './deferral/tool-conversation.js';

export type { ToolRunOptions, ToolCallOptions, ToolHost } from './calls/call-tool.js';
export { createAskedCalls, type AskedCalls } from './calls/asked-calls.js';
export {
  confirmCall,
  type CallGate,
  type CallQuestion,
  type Confirm,
  type ConfirmRequest,
} from './calls/confirm-call.js';
export type { HostPins, PinQuestion } from './pins/pin-gate.js';
export type { ProgressEvent } from './calls/progress-queue.js';
export type { LastToolEvent, ToolEvent } from './calls/tool-event.js';
export { toolCallOutput, type ToolCallOutput } from './calls/tool-call-output.js';
export type { KeptResults, ResultSpill } from './calls/result-spill.js';

export { renderError, renderForModel, renderForPerson } from './results/render-result.js';
export { toolFailure, type ToolFailure } from './results/tool-failure.js';
export type { RenderedResult, SpilledResult } from './results/spilled-result.js';
export type { MediaPart, RenderedPart, Rendering, RenderOptions } from './results/rendering.js';

export type { ModelSchema } from './model-tools/model-schema.js';
export type { DefinitionDifference, DefinitionOptions } from './model-apis/definition-options.js';
export {
  aiSdkPrepareStep,
  aiSdkTools,
  type AiSdk7ToolOutput,
  type AiSdkSchema,
  type AiSdkTool,
  type AiSdkToolOutput,
} from './model-apis/ai-sdk.js';
export {
  anthropicSearchTools,
  anthropicToolResult,
  anthropicTools,
  type AnthropicImageType,
  type AnthropicServerSearch,
  type AnthropicTool,
  type AnthropicToolResult,
} from './model-apis/anthropic.js';
export {
  geminiFunctionResponse,
  geminiFunctions,
  type GeminiFunctionDeclaration,
  type GeminiFunctionResponse,
} from './model-apis/gemini.js';
export {
  openAiChatTools,
  openAiFunctionOutput,
  openAiResponsesTools,
  openAiToolMessage,
  type OpenAiChatTool,
  type OpenAiFunction,
  type OpenAiFunctionOutput,
  type OpenAiOptions,
  type OpenAiResponsesTool,
  type OpenAiToolMessage,
} from './model-apis/openai.js';
export {
  openAiSearchTools,
  openAiToolSearchOutput,
  type OpenAiNamespace,
  type OpenAiSearchOptions,
  type OpenAiToolSearch,
  type OpenAiToolSearchOutput,
} from './model-apis/openai-tool-search.js';

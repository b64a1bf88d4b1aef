/** Connects to many MCP servers and routes calls to them. */
export { createHost } from './host.js';
/** For programs that use the transport of one entry without a host, such as a bridge or a diagnosis. */
export {
  createEntryTransport,
  type EntryTransport,
  type EntryTransportOptions,
} from './setup/entry-transport.js';
export { TRACE_CHANNELS, type TracedConnection, type TracedResponse, type TraceEvent } from './tracing.js';
export { formatElicitation, formatSampling } from './server-requests/format-request.js';
export { isReservedMetaKey } from './calls/call-context.js';
export { inspectElicitation } from './server-requests/inspect-elicitation.js';
export type {
  Available,
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  ListKind,
  Listings,
  ListResult,
  ListStatus,
  PromptArgument,
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolAnnotations,
  ToolChange,
  ToolChanges,
  ToolDefinition,
} from './contracts/catalog.js';
export type {
  Completion,
  ContentBlock,
  EmbeddedResourceBlock,
  MediaBlock,
  Progress,
  PromptMessage,
  PromptResult,
  ResourceContents,
  ResourceLinkBlock,
  ResourceResult,
  TextBlock,
  ToolResult,
  UnknownBlock,
} from './contracts/content.js';
export type {
  DeliveryPolicy,
  HealthCheckDefaults,
  HostLimits,
  HostOptions,
  ReconnectDefaults,
  ServerDefaults,
} from './contracts/host-options.js';
export type { ClientIdentity, CompletionParams, Engine, ServerIdentity } from './contracts/engine.js';
export type {
  CallOptions,
  PrincipalOptions,
  ReadOptions,
  CompletionRef,
  ConnectOptions,
  Host,
  HostEvents,
  HostStatistics,
  MethodRef,
  PromptRef,
  ResourceRef,
  StartOptions,
  ToolCallOptions,
  ToolRef,
} from './contracts/host.js';
export type { ToolTask, ToolTaskOptions, ToolTaskStatus } from './contracts/tool-tasks.js';
export type {
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  FormElicitation,
  HostCallbacks,
  LogEntry,
  LogLevel,
  Root,
  ServerRequestInfo,
  UrlElicitation,
} from './contracts/server-requests.js';
export type {
  ConnectedState,
  ConnectingState,
  ConnectionInfo,
  ConnectionState,
  ConnectionStatus,
  ConnectPhase,
  DisabledState,
  DisconnectedState,
  DisconnectingState,
  DisconnectReason,
  FailedState,
  NeedsAuthState,
  PendingState,
  ServerCounts,
  ServerSnapshot,
} from './contracts/state.js';
export type {
  InterceptedCall,
  InterceptedCompletion,
  InterceptedConnect,
  InterceptedCustomRequest,
  InterceptedElicitation,
  InterceptedList,
  InterceptedLogLevel,
  InterceptedOperation,
  InterceptedPrompt,
  InterceptedRead,
  InterceptedRequest,
  InterceptedRequestBase,
  InterceptedRequests,
  InterceptedResults,
  InterceptedRoots,
  InterceptedSampling,
  InterceptedServerRequest,
  InterceptedSubscription,
  InterceptedToolCall,
  Interceptor,
  InterceptorFunction,
  InterceptorHandlers,
} from './contracts/interceptor.js';

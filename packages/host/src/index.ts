/** Connects to many MCP servers and routes calls to them. */
export { createHost } from './host.js';
/** For programs that use the transport of one entry without a host, such as a bridge or a diagnosis. */
export { createEntryTransport } from './setup/entry-transport.js';
export { TRACE_CHANNELS, type TraceEvent } from './tracing.js';
export { isReservedMetaKey } from './check-arguments.js';
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
  PromptDefinition,
  ResourceDefinition,
  ResourceTemplateDefinition,
  ToolAnnotations,
  ToolChanges,
  ToolDefinition,
} from './contracts/catalog.js';
export type {
  Completion,
  ContentBlock,
  Progress,
  PromptResult,
  ResourceContents,
  ResourceResult,
  ToolResult,
} from './contracts/content.js';
export type { DeliveryPolicy, HostLimits, HostOptions } from './contracts/host-options.js';
export type { ClientIdentity, CompletionParams, Engine, ServerIdentity } from './contracts/engine.js';
export type {
  CallOptions,
  ReadOptions,
  Host,
  HostEvents,
  PromptRef,
  ResourceRef,
  CallToolOptions,
  ToolRef,
} from './contracts/host.js';
export type { ToolTask } from './contracts/tool-tasks.js';
export type {
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  LogEntry,
  LogLevel,
  Root,
  ServerRequestInfo,
} from './contracts/server-requests.js';
export type { ConnectionInfo, ConnectionState, ConnectionStatus, ServerSnapshot } from './contracts/state.js';
export type {
  InterceptedOperations,
  InterceptedRequest,
  Interceptor,
  InterceptorFunction,
  InterceptorHandlers,
} from './contracts/interceptor.js';

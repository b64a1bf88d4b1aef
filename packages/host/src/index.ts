/** For hosts: many servers as one. The protocol engines are `./sdk` and `./sdk-v2`. */
export { createHost } from './host.js';
/** For programs that use one transport of an entry without a host: a bridge, a diagnosis. */
export { createEntryTransport, type EntryTransportOptions } from './setup/entry-transport.js';
/** For programs that use an engine without a host. */
export { observeTransport } from './connection/observe-transport.js';
export { TRACE_CHANNELS, type TraceEvent } from './observability/channels.js';
export type { HostCache } from '@mcp-fittings/client-core';
export type {
  CatalogPrompt,
  CatalogResource,
  CatalogResourceTemplate,
  CatalogTool,
  ListKind,
  Listings,
  ListStatus,
  Available,
  PromptArgument,
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
/** For an engine of your own. */
export type {
  CompletionParams,
  Engine,
  EngineRequestInfo,
  EngineCallbacks,
  EngineConnectOptions,
  EngineEvents,
  EngineRequestOptions,
  EngineSession,
  ListBudget,
  ListOptions,
  ListResult,
  ProtocolEra,
  ServerIdentity,
  TransportObserver,
} from './contracts/engine.js';
export type {
  CallOptions,
  ConnectOptions,
  DeliveryPolicy,
  Host,
  HostEvents,
  HostLimits,
  HostOptions,
  HostStatistics,
  ServerDefaults,
  ToolRef,
} from './contracts/host.js';
export { formatElicitation, formatSampling } from './server-requests/question-text.js';
export type {
  ServerRequestInfo,
  CallInFlight,
  ElicitationAnswer,
  ElicitationRequest,
  HostCallbacks,
  LogEntry,
  LogLevel,
  Root,
} from './contracts/server-requests.js';
export type {
  ConnectionInfo,
  ConnectionState,
  ConnectionStatus,
  ConnectPhase,
  DisconnectReason,
  ServerSnapshot,
} from './contracts/state.js';

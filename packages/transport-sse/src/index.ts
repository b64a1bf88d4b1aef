export { createSseTransport } from './sse-transport.js';
export type { SseNetworkOptions, SseTransportOptions } from './options.js';
export { sse, type SseEntry, type SsePluginOptions } from './plugin.js';
export type { RetryLaterOptions } from '@mcp-fittings/remote-policy';

/** MCP over HTTP+SSE (revision 2024-11-05): a transport to use by itself, and the plugin for a host. */
export { createSseTransport } from './sse-transport.js';
export type { SseTransportOptions } from './options.js';
export { sse, type SseEntry } from './plugin.js';

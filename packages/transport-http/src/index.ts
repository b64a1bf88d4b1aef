/** MCP over Streamable HTTP: a transport to use by itself, the plugin for a host, and a fallback for older servers. */
export { createFallbackTransport } from './fallback-transport.js';
export { createHttpTransport } from './http-transport.js';
export type { HttpTransportOptions } from './options.js';
export { http, type HttpEntry } from './plugin.js';

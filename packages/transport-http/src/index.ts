/** MCP over Streamable HTTP: a transport to use by itself, the plugin for a host, and a fallback for older servers. */
export { createHttpTransport, type HttpTransportOptions } from './create-http-transport.js';
export { createFallbackTransport } from './fallback-transport.js';
export type { FetchTransportOptions, HttpPluginOptions } from './options.js';
export { http, type HttpEntry } from './plugin.js';

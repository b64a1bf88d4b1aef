/** MCP over Streamable HTTP: a transport to use by itself, the plugin for a host, and a fallback for older servers. */
export { createFallbackTransport, type FallbackOptions } from './fallback-transport.js';
export { createHttpTransport, type HttpTransport } from './http-transport.js';
export type { HttpNetworkOptions, HttpTransportOptions } from './options.js';
export { http, type HttpEntry, type HttpPluginOptions } from './plugin.js';
export type { ReconnectOptions } from './stream/reconnects.js';

/**
 * MCP over Streamable HTTP with the `fetch` of the platform: for browsers, Workers, Deno and Bun. Imports no module of Node.js. Sessions,
 * resumption, retries and errors are those of the main entry point. Proxies, client certificates, more certificate authorities,
 * the protection of private addresses and the time to connect are the platform's.
 *
 * @packageDocumentation
 */
export { createHttpTransport } from './fetch/create-http-transport.js';
export { http, type FetchEntry } from './fetch/plugin.js';
export type { FetchTransportOptions, HttpPluginOptions } from './options.js';

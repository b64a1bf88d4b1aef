/**
 * The HTTP client of one MCP server on the `fetch` of the platform, for browsers and Workers. Imports no module of Node.js.
 *
 * @packageDocumentation
 */
export { createFetchClient, type FetchClientOptions } from './fetch/fetch-client.js';

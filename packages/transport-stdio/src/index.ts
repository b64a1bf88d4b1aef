/**
 * MCP over the standard streams of a child process.
 *
 * @packageDocumentation
 */
export { createStdioTransport, type StdioTransport } from './stdio-transport.js';
export type { StdioTransportOptions } from './options.js';
export {
  resolveStdioEntry,
  stdio,
  type StdioEntry,
  type StdioLaunch,
  type StdioPluginOptions,
} from './plugin.js';

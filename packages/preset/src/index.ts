/** One call that opens an MCP host with everything that most programs need. */
export { openHost, type OpenedHost } from './open-host.js';
export type { OpenHostOptions } from './options.js';
export type { HostProblem } from './problems.js';

/**
 * The process that runs the stdio servers of all programs of a user.
 *
 * @packageDocumentation
 */
export { serveShared, type ServeSharedOptions, type SharedServing } from './process/serve-shared.js';
export { runSharedProcess } from './process/run-shared-process.js';

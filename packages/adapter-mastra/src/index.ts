/**
 * The tools of a host for Mastra agents (`@mastra/core`).
 * @packageDocumentation
 */
export { createMastraAdapter, type MastraAdapter, type MastraAdapterOptions } from './mastra-adapter.js';
export type { MastraCall } from './call-output.js';
export type { MastraSchema, MastraExecution, MastraToolFields } from './mastra-tool.js';

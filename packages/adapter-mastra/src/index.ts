/**
 * The tools of a host for Mastra agents (`@mastra/core`).
 * @packageDocumentation
 */
export { createMastraAdapter, type MastraAdapter, type MastraAdapterOptions } from './mastra-adapter.js';
export type { MastraToolFields } from './mastra-tool.js';

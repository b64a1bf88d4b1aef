/**
 * Keeps results that are too large for a model, so that it can read them in pages.
 *
 * @packageDocumentation
 */
export { createSpill, type Spill, type SpillOptions, type ToolSpillLimits } from './spill/create-spill.js';
export type { ImageLimits } from './spill/bounded-image.js';
export { fileSpillStore, type FileSpillStoreOptions } from './spill/file-spill-store.js';
export { memorySpillStore } from './spill/memory-spill-store.js';
export type { SpillPutOptions, SpillStore } from './spill/spill-store.js';
export type { SpillStoreLimits } from './spill/stored-entries.js';

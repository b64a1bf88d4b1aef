/**
 * Keeps results that are too large for a model, so that it can read them in pages.
 *
 * @packageDocumentation
 */
export type { KeptResults, ResultSpill } from './calls/result-spill.js';
export { createSpill, type Spill, type SpillOptions } from './spill/create-spill.js';
export { fileSpillStore } from './spill/file-spill-store.js';
export type { SpillStore } from './spill/spill-store.js';
export { memorySpillStore, type SpillStoreLimits } from './spill/stored-entries.js';

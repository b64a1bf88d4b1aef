/**
 * Published as one file, because every program with a transport loads all of it: a file costs more than its text.
 * The entry points are the subjects.
 */
export * from './base-transport.js';
export * from './entries.js';
export * from './errors.js';
export * from './framing.js';
export * from './logging.js';
export * from './messages.js';
export * from './platform.js';
export * from './text.js';
export * from './timing.js';

/**
 * One process for the stdio servers of all programs of a user.
 *
 * @packageDocumentation
 */
export { sharedStdio, type SharedStdioOptions } from './program/shared-stdio.js';

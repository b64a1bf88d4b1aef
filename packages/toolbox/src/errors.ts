/**
 * Errors of Node.js and the operating system as error codes, and errors restated by code that knows more.
 *
 * @packageDocumentation
 */
export { restateError } from './errors/restate-error.js';
export { classifySystemError, systemErrorCode } from './errors/system-errors.js';

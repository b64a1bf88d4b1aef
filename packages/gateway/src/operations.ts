/**
 * For operators of a gateway: health, readiness and metrics on a port of their own. Needs `prom-client`.
 *
 * @packageDocumentation
 */
export { createOperations, type Operations, type OperationsOptions } from './operations/operations.js';

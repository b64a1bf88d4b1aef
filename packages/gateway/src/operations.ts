/**
 * For who runs a gateway: health, readiness and metrics on a port of their own. Needs `prom-client`.
 *
 * @packageDocumentation
 */
export {
  createOperations,
  type DrainOptions,
  type DrainResult,
  type GatewayLoad,
  type Operations,
  type OperationsOptions,
} from './operations/operations.js';

/**
 * For operators of a gateway: health, readiness and metrics on a port of their own. Needs `prom-client`.
 *
 * @packageDocumentation
 */
export {
  createOperations,
  type DrainOptions,
  type DrainResult,
  type LoadSource,
  type Operations,
  type OperationsOptions,
} from './operations/operations.js';
export type { GatewayLoad } from './contracts/gateway.js';
export type { RequestEvent, RequestObserver } from './contracts/request-event.js';

/**
 * The process that runs the stdio servers of all programs of a user.
 *
 * @packageDocumentation
 */
export { serveShared, type ServeSharedOptions, type SharedServing } from './process/serve-shared.js';
export { runSharedProcess, type RunSharedProcessOptions } from './process/run-shared-process.js';
export {
  createInFlightRequests,
  SUBSCRIPTION_KEY,
  withSubscription,
  type InFlight,
  type InFlightRequests,
} from './process/in-flight-requests.js';

/** Turns the host's tracing channels into OpenTelemetry spans. The API package is passed in, so it is no dependency. */
export {
  subscribeOpenTelemetry,
  type OpenTelemetryApi,
  type OpenTelemetrySubscription,
} from './observability/opentelemetry.js';

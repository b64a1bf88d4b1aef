export { createHttpClient } from './http/create-http-client.js';
export { createIdleHttpClient } from './http/idle-http-client.js';
export type {
  CollectedRequest,
  Exchange,
  GuardedFetchInit,
  HttpReply,
  HttpRequest,
  HttpClient,
  ResponseHandler,
  ResponseHead,
} from './http-client.js';
export type { HostResolver, HttpClientOptions, HttpClientTimeouts, SocketPoolOptions } from './options.js';
export {
  createEventReader,
  lastEventIdHeader,
  type EventReader,
  type EventReaderOptions,
  type ServerEvent,
} from './events/event-reader.js';
export { createMessageReader, type MessageReaderOptions } from './events/message-reader.js';
export { watchSilence, type SilenceWatch } from './events/silence-watch.js';
export { roundTrip, type AcceptedReply, type BodySink } from './http/round-trip.js';
export { createFailureBackoff, type FailureBackoff } from './failure-backoff.js';

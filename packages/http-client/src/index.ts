export { createNetwork } from './http/create-network.js';
export { createIdleNetwork } from './http/idle-network.js';
export type {
  CollectedRequest,
  Exchange,
  GuardedFetchInit,
  HttpReply,
  HttpRequest,
  Network,
  ResponseHandler,
  ResponseHead,
} from './network.js';
export type { HostResolver, NetworkOptions, NetworkTimeouts, SocketPolicy } from './options.js';
export { networkFields, networkOptionsOf, type NetworkEntry } from './entry.js';
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
export { createRetryPause, type RetryPause } from './retry-pause.js';

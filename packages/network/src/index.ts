/** For sign-in packages, which have these from here. */
export { checkHeaders, isLoopbackHost, parseChallenges } from '@mcp-fittings/net-policy';
export { createNetwork } from './http/create-network.js';
export { pacedNetwork } from './http/paced-network.js';
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
export { statusError, type StatusErrorOptions } from './http/status-error.js';
export {
  createEventReader,
  lastEventIdHeader,
  type EventReader,
  type EventReaderOptions,
  type ServerEvent,
} from './parse/event-reader.js';
export {
  challengeKind,
  createCredentials,
  type ChallengeCount,
  type ChallengedRequest,
  type ChallengeKind,
  type Credentials,
  type CredentialsOptions,
} from './signing/credentials.js';
export { createRetryPause, type RetryPause } from './signing/retry-pause.js';
export { stampSdkHttpError } from './signing/sdk-shape.js';

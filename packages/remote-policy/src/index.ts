/** How a remote server is reached. */
export { ipFamily, parseAddressRanges, type AddressRanges } from './connect/address-ranges.js';
export { chooseProxy, type ProxyOptions } from './connect/choose-proxy.js';
export { connectionHint, connectionMessage } from './connect/connection-messages.js';
export {
  httpEntryFields,
  remoteEntryFields,
  toClientCertificate,
  toHttpClientOptions,
  type HttpEntryFields,
  type HttpEntryOptions,
} from './connect/entry-fields.js';
export { checkHeaders } from './connect/headers.js';
export { bareHost, isLoopbackAddress, isLoopbackHost } from './connect/hosts.js';
export {
  checkHttpOptions,
  type AllowedAddresses,
  type CheckedHttpServer,
  type HttpServerOptions,
} from './connect/http-options.js';
export {
  checkServerUrl,
  refuseUnencrypted,
  type ServerUrlOptions,
  type CheckedUrl,
} from './connect/server-url.js';
export { collectHeaders, SDK_ONLY_OPTIONS, withUrl, type RequestInitOptions } from './connect/sdk-options.js';
export type { ClientCertificate, TlsOptions } from './connect/load-tls.js';

/** What a refused request means, and how it is retried. */
export { readChallenge, type Challenge, type ReplyHead } from './refusal/challenge.js';
export {
  ChallengeBudget,
  createCredentials,
  type ChallengedRequest,
  type Credentials,
  type CredentialsOptions,
} from './refusal/credentials.js';
export { findInBandError } from './refusal/in-band-error.js';
export { createRequestRedactor, type RequestRedactor } from './refusal/redaction.js';
export {
  readRefusal,
  refusalError,
  type Refusal,
  type RefusedReply,
  type RefusedRequest,
} from './refusal/refusal.js';
export { replyExcerpt } from './refusal/reply-excerpt.js';
export {
  parseRetryAfter,
  RetryBudget,
  type RetryAfterOptions,
  type RetryLaterOptions,
} from './refusal/retry-later.js';
export { isSafeToRepeat } from './refusal/safe-methods.js';
export { sendWithRecovery, type RecoveryOptions, type RemoteRequest } from './refusal/send-with-recovery.js';
export {
  findStatusRow,
  createStatusTable,
  type StatusCondition,
  type StatusMeaning,
  type StatusRow,
  wrongEndpointRows,
} from './refusal/status-table.js';
export { parseChallenges } from './refusal/www-authenticate.js';

/** Lifetimes of requests. */
export { createLifetime, untilEnd, sleepWithin, type LifetimeSignal, type Lifetime } from './lifetime.js';

/** How a remote server may be reached. */
export { parseAddressRanges, type AddressRanges } from './connect/address-ranges.js';
export { chooseProxy, type ProxyOptions } from './connect/choose-proxy.js';
export { connectionHint, connectionMessage } from './connect/connection-messages.js';
export { toClientCertificate, remoteEntryFields } from './connect/entry-fields.js';
export { checkHeaders } from './connect/headers.js';
export { bareHost, isLoopbackAddress, isLoopbackHost } from './connect/hosts.js';
export {
  checkServerUrl,
  refuseUnencrypted,
  type ServerUrlOptions,
  type CheckedUrl,
} from './connect/server-url.js';
export { collectHeaders, SDK_ONLY_OPTIONS, withUrl, type RequestInitOptions } from './connect/sdk-options.js';
export type { ClientCertificate, TlsOptions } from './connect/tls-options.js';

/** What a refused request means, and what is done about it. */
export { readChallenge, type Challenge, type ReplyHead } from './refusal/challenge.js';
export {
  ChallengeBudget,
  createCredentials,
  type ChallengedRequest,
  type Credentials,
  type CredentialsOptions,
} from './refusal/credentials.js';
export { findInBandError } from './refusal/in-band-error.js';
export { createRequestRedactor, redactRpcError, type RequestRedactor } from './refusal/redaction.js';
export {
  readRefusal,
  refusalError,
  type Refusal,
  type RefusedReply,
  type RefusedRequest,
} from './refusal/refusal.js';
export { replyExcerpt } from './refusal/reply-excerpt.js';
export { parseRetryAfter, type RetryAfterOptions } from './refusal/retry-after.js';
export { RetryBudget, type RetryLaterOptions } from './refusal/retry-budget.js';
export { isSafeToRepeat } from './refusal/safe-methods.js';
export { sendWithRecovery, type RecoveryOptions, type RemoteRequest } from './refusal/send-with-recovery.js';
export {
  findStatusRow,
  createStatusTable,
  type StatusCondition,
  type StatusMeaning,
  type StatusRow,
} from './refusal/status-table.js';
export { parseChallenges } from './refusal/www-authenticate.js';

/** How long a request lasts. */
export { createLifetime, untilEnd, sleepWithin, type LifetimeSignal, type Lifetime } from './lifetime.js';

/**
 * Refused requests: their meaning, and how they are authorized, retried or reported.
 *
 * @packageDocumentation
 */
export { parseChallenges, readChallenge, type Challenge, type ReplyHead } from './refusal/challenge.js';
export {
  ChallengeBudget,
  Credentials,
  RequestRedactor,
  type ChallengedRequest,
  type CredentialsOptions,
} from './refusal/credentials.js';
export { FailureBackoff } from './refusal/failure-backoff.js';
export { findInBandError } from './refusal/in-band-error.js';
export type { Refusal, RefusedReply, RefusedRequest } from './refusal/refusal.js';
export {
  checkRemoteOptions,
  headersWithKey,
  type CheckedRemoteOptions,
  type RemoteOptions,
} from './refusal/remote-options.js';
export { replyExcerpt } from './refusal/reply-excerpt.js';
export type { RetryLaterOptions } from './refusal/retry-later.js';
export {
  isSafeToRepeat,
  sendWithRecovery,
  type RecoveryOptions,
  type RemoteRequest,
} from './refusal/send-with-recovery.js';
export {
  findStatusRow,
  createStatusTable,
  type StatusCondition,
  type StatusMeaning,
  type StatusRow,
  wrongEndpointRows,
} from './refusal/status-table.js';

/**
 * What a refused request means, and how it is authorized, retried or reported.
 *
 * @packageDocumentation
 */
export { readChallenge, type Challenge, type ReplyHead } from './refusal/challenge.js';
export {
  ChallengeBudget,
  Credentials,
  type ChallengedRequest,
  type CredentialsOptions,
} from './refusal/credentials.js';
export { findInBandError } from './refusal/in-band-error.js';
export { RequestRedactor } from './refusal/redaction.js';
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
export { parseChallenges } from './refusal/www-authenticate.js';

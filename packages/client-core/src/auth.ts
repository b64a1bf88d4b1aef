/**
 * For authors of a sign-in scheme or a token store, in one import: the contracts, a schema for config entries, and the
 * errors, waits and text functions that they need besides.
 *
 * @packageDocumentation
 */
// The contracts.
export type {
  AuthChallenge,
  AuthProvider,
  ParsedChallenge,
  SignInOptions,
} from './contracts/auth-provider.js';
export type { AuthDeps, AuthPlugin } from './contracts/auth-plugin.js';
export type { StoredValue, TokenStore } from './contracts/token-store.js';
export type { Clock } from './contracts/clock.js';
export type { Logger } from './contracts/logger.js';
export type { ServerConfig } from './contracts/server-config.js';

// Errors.
export { ERROR_CODES, type ErrorCode, type ErrorCodeInfo, type ErrorKind } from './errors/codes.js';
export {
  AuthRequiredError,
  FittingsError,
  type AuthRequiredErrorOptions,
  type Delivery,
  type ErrorDetails,
  type FittingsErrorOptions,
} from './errors/fittings-error.js';
export { classifySystemError } from './errors/system-errors.js';

// Config entries.
export {
  entrySchema,
  readEntry,
  type EntryOf,
  type EntrySchema,
  type ReadEntryOptions,
} from './schema/entry-schema.js';
export {
  count,
  described,
  eitherOf,
  flag,
  listOf,
  mapOf,
  oneOf,
  required,
  text,
  type Field,
} from './schema/fields.js';
export type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaV1,
} from './contracts/standard-schema.js';
export { isRecord } from './wire/messages.js';

// Waiting.
export {
  abortable,
  aborted,
  backoffDelay,
  isRecent,
  linkSignal,
  settlesWithin,
  sleep,
  systemClock,
  withTimeout,
  type BackoffOptions,
  type LinkedSignal,
  type SleepOptions,
  type TimeoutOptions,
} from './timing.js';

// Text from strangers.
export { escapeText, type EscapeTextOptions } from './text/escape-text.js';
export { nearestNames } from './text/nearest-names.js';
export { createRedactor, type Redactor } from './text/redact.js';
export { sanitizeText, truncateText, type SanitizeOptions } from './text/sanitize-text.js';

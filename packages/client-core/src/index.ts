/** For hosts: errors to act on, and the types that pass through a host's hands. Implementers: `./transport`, `./auth`. */
export { AuthRequiredError, type AuthRequiredErrorOptions } from './errors/auth-required-error.js';
export { ERROR_CODES, type ErrorCode, type ErrorKind } from './errors/codes.js';
export {
  FittingsError,
  type Delivery,
  type ErrorDetails,
  type FittingsErrorOptions,
} from './errors/fittings-error.js';
export { codeOfSystemError } from './errors/system-codes.js';
export { TransportError } from './errors/transport-error.js';
export type { Clock } from './contracts/clock.js';
export type { HostCache } from './contracts/host-cache.js';
export type { Logger } from './contracts/logger.js';
export type { ServerConfig } from './contracts/server-config.js';
export type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaV1,
} from './contracts/standard-schema.js';
export type { Transport, TransportDescription, TransportSendOptions } from './contracts/transport.js';
export type { TransportDeps, TransportPlugin } from './contracts/transport-plugin.js';
export type {
  AuthChallenge,
  AuthProvider,
  ParsedChallenge,
  SignInOptions,
} from './contracts/auth-provider.js';
export type { AuthDeps, AuthPlugin } from './contracts/auth-plugin.js';
export type { StoredValue, TokenStore } from './contracts/token-store.js';
export type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCRequest,
  JSONRPCResponse,
  JSONRPCResultResponse,
  RequestId,
} from './contracts/json-rpc.js';
export { backoffDelay, type BackoffOptions } from './tools/backoff.js';
export { createRedactor, type Redactor } from './tools/redact.js';
export { escapeJson, type EscapedJson, type EscapeJsonOptions } from './tools/escape-json.js';
export { escapeText, type EscapeTextOptions } from './tools/escape-text.js';
export { isRecord } from './tools/is-record.js';
export { nearestNames } from './tools/nearest-names.js';
export { sanitizeText, truncateText, type SanitizeOptions } from './tools/sanitize.js';
export { systemClock } from './timing.js';
export { isWithin } from './tools/within.js';

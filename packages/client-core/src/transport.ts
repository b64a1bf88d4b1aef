/**
 * For authors of a transport, in one import: the contract, a life cycle to build on, JSON-RPC messages, framing, a schema
 * for config entries, and the errors, waits and text functions that a transport needs besides.
 *
 * @packageDocumentation
 */
// The contract.
export type {
  Transport,
  TransportDescription,
  TransportObserver,
  TransportSendOptions,
} from './contracts/transport.js';
export type { TransportDeps, TransportPlugin } from './contracts/transport-plugin.js';
export type {
  AuthChallenge,
  AuthProvider,
  ParsedChallenge,
  SignInOptions,
} from './contracts/auth-provider.js';
export type { Clock } from './contracts/clock.js';
export type { Logger } from './contracts/logger.js';
export { guardLogger } from './guard-logger.js';
export type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaV1,
} from './contracts/standard-schema.js';

// The life cycle.
export { BaseTransport, type BaseTransportOptions } from './base-transport/base-transport.js';
export type { TransportController } from './base-transport/transport-controller.js';
export { afterTurn, RefusalPace } from './base-transport/after-turn.js';
export type { Intake, PacedSource, Pausable } from './base-transport/intake.js';
export type { TurnBudget, TurnBudgetOptions } from './base-transport/turn-budget.js';

// Messages.
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
export {
  answersId,
  isErrorResponse,
  isMessage,
  isNotification,
  isRecord,
  isRequest,
  isRequestId,
  isResponse,
  isResultResponse,
  RPC_CODES,
  shapeOf,
  type MessageShape,
} from './wire/messages.js';
export { isLogLevel, LOG_LEVELS, type LogLevel } from './wire/log-levels.js';

// Headers of HTTP.
export { CONNECTION_HEADERS, headerProblem } from './wire/http-headers.js';

// Framing.
export {
  concatBytes,
  createByteCollector,
  createUtf8Decoder,
  type ByteCollector,
  type ByteCollectorOptions,
} from './wire/bytes.js';
export {
  createLineReader,
  type Line,
  type LineReader,
  type LineReaderOptions,
  type RefusedLine,
} from './wire/line-reader.js';

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

// Errors.
export { ERROR_CODES, type ErrorCode, type ErrorCodeInfo, type ErrorKind } from './errors/codes.js';
export {
  AuthRequiredError,
  FittingsError,
  isOlderEndpoint,
  TransportError,
  type AuthRequiredErrorOptions,
  type Delivery,
  type ErrorDetails,
  type FittingsErrorOptions,
} from './errors/fittings-error.js';
export { classifySystemError, systemErrorCode } from './errors/system-errors.js';

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
export { createRedactor, type Redactor } from './text/redact.js';
export { sanitizeText, truncateText, type SanitizeOptions } from './text/sanitize-text.js';

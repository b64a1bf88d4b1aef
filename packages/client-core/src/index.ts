/**
 * The contracts between a host and its transports, sign-in schemes and stores, the errors that all of them throw, and the types of
 * JSON-RPC messages.
 *
 * @packageDocumentation
 */
export { ERROR_CODES, type ErrorCode, type ErrorCodeInfo, type ErrorKind } from './errors/codes.js';
export {
  AuthRequiredError,
  FittingsError,
  TransportError,
  type AuthRequiredErrorOptions,
  type Delivery,
  type ErrorDetails,
  type FittingsErrorOptions,
} from './errors/fittings-error.js';
export type { Clock } from './contracts/clock.js';
export type { HostCache } from './contracts/host-cache.js';
export type { Logger } from './contracts/logger.js';
export type { ServerConfig } from './contracts/server-config.js';
export type {
  Admission,
  ReplicaMembership,
  ReplicaReceiver,
  SharedLimit,
  SharedRecord,
  SharedRecordOptions,
  SharedState,
} from './contracts/shared-state.js';
export type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaV1,
} from './contracts/standard-schema.js';
export type {
  Transport,
  TransportDescription,
  TransportObserver,
  TransportSendOptions,
} from './contracts/transport.js';
export type { TransportDeps, TransportPlugin } from './contracts/transport-plugin.js';
export type { AuthChallenge, ParsedChallenge } from './errors/auth-challenge.js';
export type { AuthProvider, SignInOptions } from './contracts/auth-provider.js';
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

/**
 * Tells who has to act on an error: `network-temporary`, no one, it may pass; `network-permanent`, the operator of the network; `config`,
 * the author of the configuration; `auth`, the person who signs in; `protocol`, the developers of the peer.
 */
export type ErrorKind =
  'network-temporary' | 'network-permanent' | 'config' | 'auth' | 'protocol' | 'unknown';

/** General meaning of an {@link ErrorCode}. One occurrence may differ: see `kind` and `retryable` of the error. */
export interface ErrorCodeInfo {
  /** Tells who has to act. */
  readonly kind: ErrorKind;
  /** True if the same attempt may succeed later with nothing changed. */
  readonly retryable: boolean;
}

const CONFIG: ErrorCodeInfo = { kind: 'config', retryable: false };
const NETWORK_TEMPORARY: ErrorCodeInfo = { kind: 'network-temporary', retryable: true };
const NETWORK_PERMANENT: ErrorCodeInfo = { kind: 'network-permanent', retryable: false };
const PROTOCOL: ErrorCodeInfo = { kind: 'protocol', retryable: false };
const AUTH: ErrorCodeInfo = { kind: 'auth', retryable: false };
const AUTH_RETRYABLE: ErrorCodeInfo = { kind: 'auth', retryable: true };
const UNKNOWN: ErrorCodeInfo = { kind: 'unknown', retryable: false };
const UNKNOWN_RETRYABLE: ErrorCodeInfo = { kind: 'unknown', retryable: true };

/** Kind and default retryability of each error code. The comment of a code is its meaning; docs/errors.md is generated from it. */
export const ERROR_CODES = {
  // configuration
  /** A configured value is missing or malformed. */
  CONFIG_INVALID: CONFIG,
  /** The file is read-only, or may not be changed from here. */
  CONFIG_READ_ONLY: CONFIG,
  /** Writing failed, for example because the disk is full. The previous content is unchanged. */
  CONFIG_WRITE_FAILED: CONFIG,
  /** No installed transport plugin handles this `type`. */
  TRANSPORT_UNKNOWN: CONFIG,
  /** No server of this name is configured. */
  SERVER_UNKNOWN: CONFIG,
  /** The server is disabled in its configuration. */
  SERVER_DISABLED: CONFIG,
  /** A person has to approve this server before it is started or contacted. */
  APPROVAL_REQUIRED: CONFIG,
  /** A policy forbids this server or this operation. */
  POLICY_DENIED: CONFIG,
  /** A header name or value is invalid or reserved. */
  HEADER_INVALID: CONFIG,
  /** The command does not exist, here or on the PATH. */
  COMMAND_NOT_FOUND: CONFIG,
  /** The command exists and is not executable. */
  COMMAND_NOT_EXECUTABLE: CONFIG,
  /** The working directory does not exist or is not a directory. */
  CWD_INVALID: CONFIG,

  // processes
  /** The operating system refused to start the process. */
  SPAWN_FAILED: UNKNOWN_RETRYABLE,
  /** The server process exited while it was in use. */
  PROCESS_EXITED: UNKNOWN_RETRYABLE,

  // the wire
  /** Could not connect to the peer. */
  CONNECT_FAILED: NETWORK_TEMPORARY,
  /** Connection refused: nothing is listening at that address. */
  CONNECTION_REFUSED: NETWORK_TEMPORARY,
  /** The connection ended before a response arrived. */
  CONNECTION_LOST: NETWORK_TEMPORARY,
  /** The stream of a response ended without it and could not be resumed. */
  STREAM_LOST: NETWORK_TEMPORARY,
  /** The server lost the session, and a new one could not be created. */
  SESSION_LOST: NETWORK_TEMPORARY,
  /** All attempts to reconnect failed. */
  RECONNECT_EXHAUSTED: NETWORK_PERMANENT,
  /** Could not resolve the host name. */
  HOST_NOT_FOUND: NETWORK_PERMANENT,
  /** The TLS handshake or the verification of a certificate failed. */
  TLS_FAILED: NETWORK_PERMANENT,
  /** The proxy refused or dropped the connection. */
  PROXY_FAILED: NETWORK_TEMPORARY,
  /** The address is in a network that a server may not refer to. */
  ADDRESS_BLOCKED: NETWORK_PERMANENT,
  /** The server redirected the request to a URL that is not allowed. */
  REDIRECT_REFUSED: NETWORK_PERMANENT,
  /** The server answered with an HTTP status that means failure. */
  HTTP_STATUS: NETWORK_PERMANENT,
  /** The server answered with an HTTP status 5xx. */
  SERVER_ERROR: NETWORK_TEMPORARY,
  /** The server asks to retry later (429 or 503). */
  RATE_LIMITED: NETWORK_TEMPORARY,
  /** The endpoint does not support this transport. */
  ENDPOINT_INCOMPATIBLE: NETWORK_PERMANENT,

  // life cycle of a transport
  /** `send()` was called before `start()` had resolved. */
  TRANSPORT_NOT_STARTED: UNKNOWN,
  /** A transport is used once; create a new one to connect again. */
  TRANSPORT_ALREADY_STARTED: UNKNOWN,
  /** The transport was closed by its owner. */
  TRANSPORT_CLOSED: UNKNOWN,
  /** The peer does not read, and the limit of unsent bytes is reached. */
  SEND_QUEUE_FULL: NETWORK_TEMPORARY,
  /** The operation timed out. */
  TIMEOUT: NETWORK_TEMPORARY,
  /** The operation was aborted by its caller. */
  ABORTED: UNKNOWN,

  // messages
  /** The peer sent something that is not a JSON-RPC message. */
  MESSAGE_INVALID: PROTOCOL,
  /** A message exceeds the configured limit. */
  MESSAGE_TOO_LARGE: PROTOCOL,
  /** A message cannot be written as JSON. */
  MESSAGE_UNSERIALIZABLE: PROTOCOL,
  /** Another request with the same id is still in flight. */
  REQUEST_ID_IN_USE: PROTOCOL,
  /** A response does not answer any request that is in flight. */
  RESPONSE_UNEXPECTED: PROTOCOL,
  /** The peer broke a rule of the protocol. */
  PROTOCOL_VIOLATION: PROTOCOL,
  /** The peer and this client have no protocol revision in common. */
  VERSION_UNSUPPORTED: PROTOCOL,
  /** The peer, or the engine in use, does not support the requested feature. */
  CAPABILITY_MISSING: PROTOCOL,
  /** The server answered the request with a JSON-RPC error. */
  RPC_ERROR: PROTOCOL,
  /** The server has no tool of this name. */
  TOOL_UNKNOWN: PROTOCOL,
  /** The tool ran, and its result says that it failed. */
  TOOL_FAILED: UNKNOWN,
  /** The arguments do not match the schema of the tool. */
  ARGUMENTS_INVALID: PROTOCOL,
  /** A schema of the server has an external reference or exceeds the limits. */
  SCHEMA_REFUSED: PROTOCOL,
  /** A large result is not kept any more, or belongs to another conversation. */
  RESULT_UNKNOWN: UNKNOWN,
  /** A large result could not be kept or read again, for example because the disk is full. */
  SPILL_FAILED: UNKNOWN_RETRYABLE,
  /** Content differs from what was announced: in its size, digest or description. */
  CONTENT_UNVERIFIED: PROTOCOL,
  /** The server canceled a task, or did not finish it in time. */
  TASK_ENDED: UNKNOWN,
  /** A function supplied by the host threw or did not finish in time. */
  CALLBACK_FAILED: UNKNOWN,

  // sign-in
  /** The server requires credentials, and a person has to sign in. */
  AUTH_REQUIRED: AUTH,
  /** The server rejected the credentials, and there are no others. */
  AUTH_REJECTED: AUTH,
  /** The sign-in failed. */
  AUTH_FAILED: AUTH,
  /** The token of the user could not be exchanged for one of this server. */
  AUTH_EXCHANGE_FAILED: AUTH,
  /** The metadata that sign-in needs is missing or invalid. */
  AUTH_DISCOVERY_FAILED: AUTH,
  /** The granted scopes are insufficient and could not be extended. */
  AUTH_SCOPE_INSUFFICIENT: AUTH,
  /** The credential store is not available. */
  STORE_UNAVAILABLE: AUTH_RETRYABLE,
  /** The credential store is locked. */
  STORE_LOCKED: AUTH_RETRYABLE,
  /** A stored credential is unreadable or was tampered with. */
  STORE_CORRUPT: AUTH,
  /** Other users could read or replace the content of the credential store, so it is not used. */
  STORE_INSECURE: AUTH,
  /** The value is too large for the credential store, or is not plain JSON. */
  STORE_VALUE_INVALID: AUTH,
  /** Another process held the lock on a credential for too long. */
  STORE_BUSY: AUTH_RETRYABLE,
  /** The lock on a credential was lost to another process, so nothing was written. */
  STORE_LOCK_LOST: AUTH_RETRYABLE,
} as const satisfies Record<string, ErrorCodeInfo>;

/**
 * A code of a `FittingsError`. New codes come with minor versions; no code changes its meaning.
 * @see https://github.com/mcp-fittings/mcp-fittings/blob/main/docs/errors.md
 */
export type ErrorCode = keyof typeof ERROR_CODES;

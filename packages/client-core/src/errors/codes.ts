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
  /** Meaning in one sentence. docs/errors.md is generated from it. */
  readonly meaning: string;
}

const code = (kind: ErrorKind, retryable: boolean, meaning: string): ErrorCodeInfo => ({
  kind,
  retryable,
  meaning,
});

/** Kind, default retryability and meaning of each error code. */
export const ERROR_CODES = {
  // configuration
  CONFIG_INVALID: code('config', false, 'A configured value is missing or malformed.'),
  CONFIG_READ_ONLY: code('config', false, 'The file is read-only, or may not be changed from here.'),
  CONFIG_WRITE_FAILED: code(
    'config',
    false,
    'Writing failed, for example because the disk is full. The previous content is unchanged.',
  ),
  TRANSPORT_UNKNOWN: code('config', false, 'No installed transport plugin handles this `type`.'),
  SERVER_UNKNOWN: code('config', false, 'No server of this name is configured.'),
  SERVER_DISABLED: code('config', false, 'The server is disabled in its configuration.'),
  APPROVAL_REQUIRED: code(
    'config',
    false,
    'A person has to approve this server before it is started or contacted.',
  ),
  POLICY_DENIED: code('config', false, 'A policy forbids this server or this operation.'),
  HEADER_INVALID: code('config', false, 'A header name or value is invalid or reserved.'),
  COMMAND_NOT_FOUND: code('config', false, 'The command does not exist, here or on the PATH.'),
  COMMAND_NOT_EXECUTABLE: code('config', false, 'The command exists and is not executable.'),
  CWD_INVALID: code('config', false, 'The working directory does not exist or is not a directory.'),

  // processes
  SPAWN_FAILED: code('unknown', true, 'The operating system refused to start the process.'),
  PROCESS_EXITED: code('unknown', true, 'The server process exited while it was in use.'),

  // the wire
  CONNECT_FAILED: code('network-temporary', true, 'Could not connect to the peer.'),
  CONNECTION_REFUSED: code(
    'network-temporary',
    true,
    'Connection refused: nothing is listening at that address.',
  ),
  CONNECTION_LOST: code('network-temporary', true, 'The connection ended before a response arrived.'),
  STREAM_LOST: code(
    'network-temporary',
    true,
    'The stream of a response ended without it and could not be resumed.',
  ),
  SESSION_LOST: code(
    'network-temporary',
    true,
    'The server lost the session, and a new one could not be created.',
  ),
  RECONNECT_EXHAUSTED: code('network-permanent', false, 'All attempts to reconnect failed.'),
  HOST_NOT_FOUND: code('network-permanent', false, 'Could not resolve the host name.'),
  TLS_FAILED: code(
    'network-permanent',
    false,
    'The TLS handshake or the verification of a certificate failed.',
  ),
  PROXY_FAILED: code('network-temporary', true, 'The proxy refused or dropped the connection.'),
  ADDRESS_BLOCKED: code(
    'network-permanent',
    false,
    'The address is in a network that a server may not refer to.',
  ),
  REDIRECT_REFUSED: code(
    'network-permanent',
    false,
    'The server redirected the request to a URL that is not allowed.',
  ),
  HTTP_STATUS: code(
    'network-permanent',
    false,
    'The server answered with an HTTP status that means failure.',
  ),
  SERVER_ERROR: code('network-temporary', true, 'The server answered with an HTTP status 5xx.'),
  RATE_LIMITED: code('network-temporary', true, 'The server asks to retry later (429 or 503).'),
  ENDPOINT_INCOMPATIBLE: code('network-permanent', false, 'The endpoint does not support this transport.'),

  // life cycle of a transport
  TRANSPORT_NOT_STARTED: code('unknown', false, '`send()` was called before `start()` had resolved.'),
  TRANSPORT_ALREADY_STARTED: code(
    'unknown',
    false,
    'A transport is used once; create a new one to connect again.',
  ),
  TRANSPORT_CLOSED: code('unknown', false, 'The transport was closed by its owner.'),
  SEND_QUEUE_FULL: code(
    'network-temporary',
    true,
    'The peer does not read, and the limit of unsent bytes is reached.',
  ),
  TIMEOUT: code('network-temporary', true, 'The operation timed out.'),
  ABORTED: code('unknown', false, 'The operation was aborted by its caller.'),

  // messages
  MESSAGE_INVALID: code('protocol', false, 'The peer sent something that is not a JSON-RPC message.'),
  MESSAGE_TOO_LARGE: code('protocol', false, 'A message exceeds the configured limit.'),
  MESSAGE_UNSERIALIZABLE: code('protocol', false, 'A message cannot be written as JSON.'),
  REQUEST_ID_IN_USE: code('protocol', false, 'Another request with the same id is still in flight.'),
  RESPONSE_UNEXPECTED: code('protocol', false, 'A response does not answer any request that is in flight.'),
  PROTOCOL_VIOLATION: code('protocol', false, 'The peer broke a rule of the protocol.'),
  VERSION_UNSUPPORTED: code(
    'protocol',
    false,
    'The peer and this client have no protocol revision in common.',
  ),
  CAPABILITY_MISSING: code(
    'protocol',
    false,
    'The peer, or the engine in use, does not support the requested feature.',
  ),
  RPC_ERROR: code('protocol', false, 'The server answered the request with a JSON-RPC error.'),
  TOOL_UNKNOWN: code('protocol', false, 'The server has no tool of this name.'),
  TOOL_FAILED: code('unknown', false, 'The tool ran, and its result says that it failed.'),
  ARGUMENTS_INVALID: code('protocol', false, 'The arguments do not match the schema of the tool.'),
  SCHEMA_REFUSED: code(
    'protocol',
    false,
    'A schema of the server has an external reference or exceeds the limits.',
  ),
  RESULT_UNKNOWN: code(
    'unknown',
    false,
    'A large result is not kept any more, or belongs to another conversation.',
  ),
  SPILL_FAILED: code(
    'unknown',
    true,
    'A large result could not be kept or read again, for example because the disk is full.',
  ),
  CONTENT_UNVERIFIED: code(
    'protocol',
    false,
    'Content differs from what was announced: in its size, digest or description.',
  ),
  TASK_ENDED: code('unknown', false, 'The server canceled a task, or did not finish it in time.'),
  CALLBACK_FAILED: code('unknown', false, 'A function supplied by the host threw or did not finish in time.'),

  // sign-in
  AUTH_REQUIRED: code('auth', false, 'The server requires credentials, and a person has to sign in.'),
  AUTH_REJECTED: code('auth', false, 'The server rejected the credentials, and there are no others.'),
  AUTH_FAILED: code('auth', false, 'The sign-in failed.'),
  AUTH_EXCHANGE_FAILED: code(
    'auth',
    false,
    'The token of the user could not be exchanged for one of this server.',
  ),
  AUTH_DISCOVERY_FAILED: code('auth', false, 'The metadata that sign-in needs is missing or invalid.'),
  AUTH_SCOPE_INSUFFICIENT: code(
    'auth',
    false,
    'The granted scopes are insufficient and could not be extended.',
  ),
  STORE_UNAVAILABLE: code('auth', true, 'The credential store is not available.'),
  STORE_LOCKED: code('auth', true, 'The credential store is locked.'),
  STORE_CORRUPT: code('auth', false, 'A stored credential is unreadable or was tampered with.'),
  STORE_INSECURE: code(
    'auth',
    false,
    'Other users could read or replace the content of the credential store, so it is not used.',
  ),
  STORE_VALUE_INVALID: code(
    'auth',
    false,
    'The value is too large for the credential store, or is not plain JSON.',
  ),
  STORE_BUSY: code('auth', true, 'Another process held the lock on a credential for too long.'),
  STORE_LOCK_LOST: code(
    'auth',
    true,
    'The lock on a credential was lost to another process, so nothing was written.',
  ),
} as const satisfies Record<string, ErrorCodeInfo>;

/**
 * A code of a `FittingsError`. New codes come with minor versions; no code changes its meaning.
 * @see https://github.com/mcp-fittings/mcp-fittings/blob/main/docs/errors.md
 */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Who has to act: nobody (it may pass), the network's owner, the author of the config, the person, the peer. */
export type ErrorKind =
  'network-temporary' | 'network-permanent' | 'config' | 'auth' | 'protocol' | 'unknown';

export interface ErrorCodeInfo {
  readonly kind: ErrorKind;
  /** Whether the same attempt may succeed later with nothing changed. */
  readonly retryable: boolean;
  /** What it means, for the reference that is generated from this table. */
  readonly meaning: string;
}

const code = (kind: ErrorKind, retryable: boolean, meaning: string): ErrorCodeInfo => ({
  kind,
  retryable,
  meaning,
});

const CODES = {
  // configuration
  CONFIG_INVALID: code('config', false, 'A configured value is missing or malformed.'),
  CONFIG_READ_ONLY: code(
    'config',
    false,
    'The place to be written can not, or may not, be changed from here.',
  ),
  CONFIG_WRITE_FAILED: code(
    'config',
    false,
    'The place to be written may be changed, and the disk was full or failed. What was there is left as it is.',
  ),
  TRANSPORT_UNKNOWN: code('config', false, 'No installed transport plugin serves this `type`.'),
  SERVER_UNKNOWN: code('config', false, 'No server of this name is configured.'),
  SERVER_DISABLED: code('config', false, 'The server is disabled in its configuration.'),
  APPROVAL_REQUIRED: code(
    'config',
    false,
    'A person has to approve this server before it is started or contacted.',
  ),
  POLICY_DENIED: code('config', false, 'A policy forbids this server or this operation.'),
  HEADER_INVALID: code('config', false, 'A header name or value may not be sent.'),
  COMMAND_NOT_FOUND: code('config', false, 'The command does not exist, here or on the PATH.'),
  COMMAND_NOT_EXECUTABLE: code('config', false, 'The command exists and may not be executed.'),
  CWD_INVALID: code('config', false, 'The working directory does not exist or is not a directory.'),

  // processes
  SPAWN_FAILED: code('unknown', true, 'The operating system refused to start the process.'),
  PROCESS_EXITED: code('unknown', true, 'The server process ended while it was needed.'),

  // the wire
  CONNECT_FAILED: code('network-temporary', true, 'No connection to the peer came about.'),
  CONNECTION_REFUSED: code('network-temporary', true, 'Nobody listens at that address.'),
  CONNECTION_LOST: code('network-temporary', true, 'The connection ended before an answer came.'),
  STREAM_LOST: code(
    'network-temporary',
    true,
    'The stream that carried an answer ended without it and could not be resumed.',
  ),
  SESSION_LOST: code(
    'network-temporary',
    true,
    'The server forgot the session and a new one could not be made.',
  ),
  RECONNECT_EXHAUSTED: code('network-permanent', false, 'Every permitted attempt to connect again failed.'),
  HOST_NOT_FOUND: code('network-permanent', false, 'The host name does not resolve.'),
  TLS_FAILED: code('network-permanent', false, 'The TLS handshake or the check of a certificate failed.'),
  PROXY_FAILED: code('network-temporary', true, 'The proxy refused or dropped the connection.'),
  ADDRESS_BLOCKED: code(
    'network-permanent',
    false,
    'The address lies in a network that a server may not point us to.',
  ),
  REDIRECT_REFUSED: code(
    'network-permanent',
    false,
    'The server redirected to a place that this request may not follow.',
  ),
  HTTP_STATUS: code(
    'network-permanent',
    false,
    'The server answered with an HTTP status that means failure.',
  ),
  SERVER_ERROR: code('network-temporary', true, 'The server answered with an HTTP status 5xx.'),
  RATE_LIMITED: code('network-temporary', true, 'The server asks to come back later (429 or 503).'),
  ENDPOINT_INCOMPATIBLE: code('network-permanent', false, 'The endpoint does not speak this transport.'),

  // life cycle of a transport
  TRANSPORT_NOT_STARTED: code('unknown', false, 'A message was sent before `start()` had succeeded.'),
  TRANSPORT_ALREADY_STARTED: code(
    'unknown',
    false,
    'A transport is used once; make a new one to connect again.',
  ),
  TRANSPORT_CLOSED: code('unknown', false, 'The transport was closed on this side.'),
  SEND_QUEUE_FULL: code(
    'network-temporary',
    true,
    'The peer does not read and the limit of unsent bytes is reached.',
  ),
  TIMEOUT: code('network-temporary', true, 'A deadline passed.'),
  ABORTED: code('unknown', false, 'The caller gave up.'),

  // messages
  MESSAGE_INVALID: code('protocol', false, 'The peer sent something that is not a JSON-RPC message.'),
  MESSAGE_TOO_LARGE: code('protocol', false, 'A message exceeds the configured limit.'),
  MESSAGE_UNSERIALIZABLE: code('protocol', false, 'A message can not be written as JSON.'),
  REQUEST_ID_IN_USE: code('protocol', false, 'Another request with the same id is still in flight.'),
  RESPONSE_UNEXPECTED: code('protocol', false, 'A response answers no request that is in flight.'),
  PROTOCOL_VIOLATION: code('protocol', false, 'The peer broke a rule of the protocol.'),
  VERSION_UNSUPPORTED: code('protocol', false, 'The peer and this client share no protocol revision.'),
  CAPABILITY_MISSING: code(
    'protocol',
    false,
    'The peer, or the engine in use, does not offer what was asked for.',
  ),
  RPC_ERROR: code('protocol', false, 'The server answered the request with a JSON-RPC error.'),
  TOOL_UNKNOWN: code('protocol', false, 'The server has no tool of this name.'),
  ARGUMENTS_INVALID: code('protocol', false, 'The arguments do not fit the schema of the tool.'),
  SCHEMA_REFUSED: code(
    'protocol',
    false,
    'A schema of the server points outside of itself or exceeds the limits.',
  ),
  CONTENT_UNVERIFIED: code(
    'protocol',
    false,
    'Content is not what was announced: its size, digest or description differs.',
  ),
  CALLBACK_FAILED: code(
    'unknown',
    false,
    'A function that the host supplied threw or did not finish in time.',
  ),

  // sign-in
  AUTH_REQUIRED: code('auth', false, 'The server wants credentials and a person has to sign in.'),
  AUTH_REJECTED: code('auth', false, 'The credentials were refused and there are no others.'),
  AUTH_FAILED: code('auth', false, 'The sign-in did not succeed.'),
  AUTH_EXCHANGE_FAILED: code(
    'auth',
    false,
    'The identity provider gave no acceptable assertion for this server.',
  ),
  AUTH_DISCOVERY_FAILED: code('auth', false, 'The metadata needed for sign-in is missing or not acceptable.'),
  AUTH_SCOPE_INSUFFICIENT: code('auth', false, 'The granted scopes do not suffice and could not be widened.'),
  STORE_UNAVAILABLE: code('auth', true, 'The credential store can not be reached.'),
  STORE_LOCKED: code('auth', true, 'The credential store is locked.'),
  STORE_CORRUPT: code('auth', false, 'A stored credential can not be read or was tampered with.'),
  STORE_INSECURE: code(
    'auth',
    false,
    'Other users could read or replace what the credential store keeps, so it is not used.',
  ),
  STORE_VALUE_INVALID: code(
    'auth',
    false,
    'The value is too large for a credential store or is not plain JSON.',
  ),
  STORE_BUSY: code('auth', true, 'Somebody else held the lock on a credential for too long.'),
  STORE_LOCK_LOST: code(
    'auth',
    true,
    'The lock on a credential was taken over by somebody else, so nothing was written.',
  ),
} as const satisfies Record<string, ErrorCodeInfo>;

/** The closed set of error codes. A new one comes with a minor version of core; none changes its meaning. */
export type ErrorCode = keyof typeof CODES;

/** Kind, default retryability and meaning of each code. */
export const ERROR_CODES: { readonly [Code in ErrorCode]: ErrorCodeInfo } = CODES;

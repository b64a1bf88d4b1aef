import type {
  AuthRequiredError,
  FittingsError,
  JSONRPCObject,
  ServerConfig,
} from '@mcp-fittings/client-core';
import type { ListKind, ListStatus } from './catalog.js';
import type { ServerIdentity } from './engine.js';

/**
 * Step of a connection attempt. Each step is a state of its own, so one attempt emits `connecting` several times.
 * `listing` reads the lists after the handshake.
 */
export type ConnectPhase = 'choosing transport' | 'starting' | 'handshake' | 'listing';

/** State of the connection to one server. `status` tells the members apart. */
export type ConnectionState =
  | DisabledState
  | DisconnectedState
  | PendingState
  | ConnectingState
  | ConnectedState
  | NeedsAuthState
  | FailedState
  | DisconnectingState;

/** The entry has `disabled: true`, or `host.disable()` was called. Calls reject with `SERVER_DISABLED`. */
export interface DisabledState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'disabled';
}

/** Not connected, and not about to connect until it is used or started. */
export interface DisconnectedState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'disconnected';
  /** Why the server is not connected. */
  readonly reason: DisconnectReason;
}

/** Waiting to connect: for a free slot (`limits.parallelConnects`), or for the time of the next attempt. */
export interface PendingState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'pending';
  /** Number of the next attempt, from 1. */
  readonly attempt: number;
  /** Attempts after which the server is `failed`. */
  readonly maxAttempts: number;
  /** Time of the next attempt, in milliseconds since the epoch; absent while waiting for a slot. */
  readonly retryAt?: number | undefined;
  /** Why the last attempt, or the last connection, ended. */
  readonly error?: FittingsError | undefined;
}

/** An attempt is under way. */
export interface ConnectingState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'connecting';
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** Attempts after which the server is `failed`. */
  readonly maxAttempts: number;
  /** Step of the attempt. */
  readonly phase: ConnectPhase;
}

/** Connected: the handshake is done and the tools are listed. */
export interface ConnectedState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'connected';
  /** Time at which the server became connected, in milliseconds since the epoch. */
  readonly since: number;
  /** Result of the handshake. */
  readonly connection: ConnectionInfo;
}

/** Waiting for a sign-in: `host.signIn()`, or one of another process that shares the credential store. */
export interface NeedsAuthState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'needs-auth';
  /** The server's refusal, with its challenge. */
  readonly error: AuthRequiredError;
}

/** Given up. `host.start()` tries again; calls reject with `error`. */
export interface FailedState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'failed';
  /** Why the last attempt failed; its `hint` says what to do. */
  readonly error: FittingsError;
}

/** The connection is being closed. */
export interface DisconnectingState {
  /** Discriminates {@link ConnectionState}. */
  readonly status: 'disconnecting';
  /** Reason of the `disconnected` state that follows; absent if another state follows. */
  readonly reason?: DisconnectReason | undefined;
}

/** The `status` of a {@link ConnectionState}. */
export type ConnectionStatus = ConnectionState['status'];

/**
 * Why a server is disconnected. `not started`: it has not been used yet. `stopped`: `host.stop()` or `host.signOut()` was
 * called. `idle`: it was unused for `idleMs`.
 */
export type DisconnectReason = 'not started' | 'stopped' | 'idle';

/**
 * Result of the handshake. Use it for display and to choose requests; it is the server's own claim, so do not trust it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export interface ConnectionInfo {
  /** Negotiated protocol revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version of the server's program, if it sent them. */
  readonly serverInfo: ServerIdentity | undefined;
  /** Instructions for the model on how to use the server, if it sent any. */
  readonly instructions: string | undefined;
  /** Capabilities as the server declared them. */
  readonly capabilities: JSONRPCObject;
}

/** A server at one moment; later changes do not show in it. */
export interface ServerSnapshot {
  /** Name of the server in this host. */
  readonly name: string;
  /** The person whose connection this is, if it was asked for with `principal`. */
  readonly principal?: string | undefined;
  /**
   * Digest of the whole entry, and of the folder in which a program starts. Bind approvals to it rather than to the name,
   * which may stand for another entry tomorrow.
   */
  readonly identity: string;
  /** Type of the transport, such as `stdio` or `http`; `undefined` if the entry implies none. */
  readonly type: string | undefined;
  /** The entry as it was given. Not enumerable, because it may hold secrets: neither JSON nor a log shows it. */
  readonly entry: ServerConfig;
  /** Where the entry comes from, if `scopes` of `host.connect()` says so. */
  readonly scope: string | undefined;
  /** State of the connection. */
  readonly state: ConnectionState;
  /** Last failure of the connection or of a list. It stays when a later attempt succeeds. */
  readonly lastError: FittingsError | undefined;
  /** Sizes of the server's lists. */
  readonly counts: ServerCounts;
  /** How each list was last read. It tells a list that failed from one that is empty. */
  readonly lists: Readonly<Record<ListKind, ListStatus>>;
}

/** How many items a server lists. */
export interface ServerCounts {
  /** Number of tools. */
  readonly tools: number;
  /** Number of prompts. */
  readonly prompts: number;
  /** Number of resources. */
  readonly resources: number;
  /** Number of resource templates. */
  readonly resourceTemplates: number;
}

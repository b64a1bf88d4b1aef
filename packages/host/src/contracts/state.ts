import type {
  AuthRequiredError,
  FittingsError,
  JSONRPCObject,
  ServerConfig,
} from '@mcp-fittings/client-core';
import type { ListKind } from './catalog.js';
import type { ServerIdentity } from './engine.js';

/** State of the connection to one server. `status` tells the members apart. */
export type ConnectionState =
  /** The entry has `disabled: true`, or `host.disable()` was called. Calls reject with `SERVER_DISABLED`. */
  | { readonly status: 'disabled' }
  /** Not connected, and not about to connect until it is used or started. */
  | {
      readonly status: 'disconnected';
      /**
       * Reason why the server is not connected. `not started`: it has not been used yet. `stopped`: `host.stop()` or `host.signOut()` was
       * called. `idle`: it was unused for `idleMs`.
       */
      readonly reason: 'not started' | 'stopped' | 'idle';
    }
  /** Waiting to connect: for a free slot (`limits.parallelConnects`), or for the time of the next attempt. */
  | {
      readonly status: 'pending';
      /** Number of the next attempt, from 1. */
      readonly attempt: number;
      /** Attempts after which the server is `failed`. */
      readonly maxAttempts: number;
      /** Time of the next attempt, in milliseconds since the epoch; absent while waiting for a slot. */
      readonly retryAt?: number | undefined;
      /** Error of the last attempt, or of the last connection. */
      readonly error?: FittingsError | undefined;
    }
  /** An attempt is under way. */
  | {
      readonly status: 'connecting';
      /** Number of this attempt, from 1. */
      readonly attempt: number;
      /** Attempts after which the server is `failed`. */
      readonly maxAttempts: number;
      /**
       * Step of the attempt. Each step is a state of its own, so one attempt emits `connecting` several times. `listing` reads the lists
       * after the handshake.
       */
      readonly phase: 'choosing transport' | 'starting' | 'handshake' | 'listing';
    }
  /** Connected: the handshake is done and the tools are listed. */
  | {
      readonly status: 'connected';
      /** Time at which the server became connected, in milliseconds since the epoch. */
      readonly since: number;
      /** Result of the handshake. */
      readonly connection: ConnectionInfo;
    }
  /** Waiting for a sign-in: `host.signIn()`, or one of another process that shares the credential store. */
  | {
      readonly status: 'needs-auth';
      /** The server's refusal, with its challenge. */
      readonly error: AuthRequiredError;
    }
  /** Given up. `host.start()` tries again; calls reject with `error`. */
  | {
      readonly status: 'failed';
      /** Error of the last attempt; its `hint` says what to do. */
      readonly error: FittingsError;
    }
  /** The connection is being closed. */
  | {
      readonly status: 'disconnecting';
      /** Reason of the `disconnected` state that follows; absent if another state follows. */
      readonly reason?: 'not started' | 'stopped' | 'idle' | undefined;
    };

/** The state with this status. */
type StateOf<Status extends ConnectionStatus> = Extract<ConnectionState, { readonly status: Status }>;
/** Step of a connection attempt. */
export type ConnectPhase = StateOf<'connecting'>['phase'];
/** Reason why a server is disconnected. */
export type DisconnectReason = StateOf<'disconnected'>['reason'];

/** The `status` of a {@link ConnectionState}. */
export type ConnectionStatus = ConnectionState['status'];

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
  /** The principal whose connection this is, if it was asked for with `principal`. */
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
  /** Source of the entry, if `scopes` of `host.connect()` says so. */
  readonly scope: string | undefined;
  /** State of the connection. */
  readonly state: ConnectionState;
  /** Last failure of the connection or of a list. It stays when a later attempt succeeds. */
  readonly lastError: FittingsError | undefined;
  /** Sizes of the server's lists. */
  readonly counts: {
    /** Number of tools. */
    readonly tools: number;
    /** Number of prompts. */
    readonly prompts: number;
    /** Number of resources. */
    readonly resources: number;
    /** Number of resource templates. */
    readonly resourceTemplates: number;
  };
  /** Result of the last reading of each list. It tells a list that failed from one that is empty. */
  readonly lists: Readonly<
    Record<
      ListKind,
      {
        /**
         * Error of the last reading; `undefined` if it succeeded. While the server is connected, the host reads the list again with
         * increasing delays. The catalog keeps what an earlier reading returned.
         */
        readonly error: FittingsError | undefined;
        /** Entries that were left out and members that were ignored, with the reasons; the first 20. */
        readonly skipped: readonly string[];
        /** True if the server declares the list public, so that users may share it in a cache. Default `false`. */
        readonly isPublic?: boolean | undefined;
        /** Time until which the server calls the list fresh, by the clock of the host; absent if it does not say. */
        readonly freshUntil?: number | undefined;
      }
    >
  >;
}

import type { AuthRequiredError, FittingsError, ServerConfig } from '@mcp-fittings/client-core';
import type { JSONRPCObject } from '@mcp-fittings/client-core/transport';
import type { ListKind, ListStatus } from './catalog.js';
import type { ServerIdentity } from './engine.js';

/** What a connect is busy with. Each phase is a state of its own, so `connecting` comes several times with one attempt. */
export type ConnectPhase = 'choosing transport' | 'starting' | 'handshake' | 'listing';

/**
 * Where the connection to one server stands. `pending` waits (for its turn, or before the next attempt), `failed`
 * has given up until somebody starts it again, `needs-auth` waits for `signIn`.
 */
export type ConnectionState =
  | { readonly status: 'disabled' }
  | { readonly status: 'disconnected'; readonly reason: DisconnectReason }
  | {
      readonly status: 'pending';
      readonly attempt: number;
      readonly maxAttempts: number;
      /** Milliseconds since the epoch; absent while it waits for its turn. */
      readonly retryAt?: number | undefined;
      /** Why the last attempt, or the last connection, ended. */
      readonly error?: FittingsError | undefined;
    }
  | {
      readonly status: 'connecting';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly phase: ConnectPhase;
    }
  | { readonly status: 'connected'; readonly since: number; readonly connection: ConnectionInfo }
  | { readonly status: 'needs-auth'; readonly error: AuthRequiredError }
  | { readonly status: 'failed'; readonly error: FittingsError }
  | {
      readonly status: 'disconnecting';
      /** Why it is disconnected, where the state that follows is `disconnected`. */
      readonly reason?: DisconnectReason | undefined;
    };

export type ConnectionStatus = ConnectionState['status'];

/** `not started`: nobody asked yet. `stopped`: somebody asked for it. `idle`: unused for the configured time. */
export type DisconnectReason = 'not started' | 'stopped' | 'idle';

/** What the handshake told. All of it is for display and for choosing requests, none of it for trust. */
export interface ConnectionInfo {
  readonly protocolVersion: string;
  readonly serverInfo: ServerIdentity | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: JSONRPCObject;
}

/** A server as the host sees it at one moment. */
export interface ServerSnapshot {
  readonly name: string;
  /**
   * A digest of what runs or answers under this name: the whole entry, and the folder that a program starts in. Give
   * approvals to it, not to the name, which another entry may have tomorrow.
   */
  readonly identity: string;
  /** Type of transport, once it is known. */
  readonly type: string | undefined;
  /** The entry as it was given. It may hold secrets, so it is not enumerable: `JSON.stringify` leaves it out. */
  readonly entry: ServerConfig;
  /** Where the entry comes from, when {@link ConnectOptions.scopes} said so. */
  readonly scope: string | undefined;
  readonly state: ConnectionState;
  /** The last failure of a connection, or of a list; kept while a later attempt runs, and after it. */
  readonly lastError: FittingsError | undefined;
  /** How many tools, prompts, resources and templates are in the catalog. */
  readonly counts: {
    readonly tools: number;
    readonly prompts: number;
    readonly resources: number;
    readonly resourceTemplates: number;
  };
  /** How each list was read: a list that failed is told from one that is empty. */
  readonly lists: Readonly<Record<ListKind, ListStatus>>;
}

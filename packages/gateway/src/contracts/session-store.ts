import type { JSONRPCMessage, JSONRPCObject } from '@mcp-fittings/client-core';

/** State of a session: its owner, and what the client has told the server. It contains no credential. */
export interface SessionRecord {
  /** Value of `Mcp-Session-Id`. Who knows it and is the caller can use the session, so it is not logged. */
  readonly id: string;
  /** `id` of the caller; the session does not exist for any other. */
  readonly callerId: string;
  /** `principal` of the caller. */
  readonly principal?: string | undefined;
  /** Name of the server at whose address the session began. Absent: the address of all servers. */
  readonly server?: string | undefined;
  /** Parameters of the client's `initialize`. */
  readonly initialize: JSONRPCObject;
  /** Level of the client's last `logging/setLevel`. */
  readonly logLevel?: string | undefined;
  /** URIs that the client has subscribed to. */
  readonly subscriptions: readonly string[];
}

/**
 * Keeps sessions where every replica of a gateway finds them. A replica that gets a request of a session that it does not know creates it
 * again: it replays `initialize`, the log level and the subscriptions. Calls and event streams do not move.
 *
 * A rejection fails the request with status 503.
 */
export interface SessionStore {
  /** Returns the session, or `undefined` if it has ended or expired. */
  get(id: string): Promise<SessionRecord | undefined>;
  /** Keeps a new or changed session for `ttlMs` milliseconds. */
  save(record: SessionRecord, ttlMs: number): Promise<void>;
  /** Keeps the session for `ttlMs` milliseconds from now. Resolves with whether it still exists. */
  touch(id: string, ttlMs: number): Promise<boolean>;
  /** Ends the session for all replicas. */
  delete(id: string): Promise<void>;
  /**
   * Changes what is kept of a session, while other replicas may change it too. `change` may be called more than once. Default: the
   * replica that changes a session keeps what it knows of it, with `save`.
   */
  change?(id: string, change: (record: SessionRecord) => SessionRecord, ttlMs: number): Promise<void>;
  /** Passes messages of sessions between the replicas. Default: replicas do not know of each other. */
  readonly peers?: SessionPeers | undefined;
}

/**
 * The other replicas that may have a session too. A client sends each message to any of them: the response to a question that another
 * one has asked, the cancellation of a request that another one works on, a subscription for the event stream that another one holds.
 */
export interface SessionPeers {
  /** Name of this replica, in the ids of the requests that it sends to clients. Letters, digits and `-`. */
  readonly replica: string;
  /** Passes messages on: to one replica, or to all others. Never rejects. */
  tell(messages: SessionMessages, replica?: string): Promise<void>;
  /** Receives what other replicas pass on. */
  receive(handler: (messages: SessionMessages) => void): void;
}

/** Messages of the client of a session. */
export interface SessionMessages {
  /** `id` of the {@link SessionRecord}. */
  readonly sessionId: string;
  /** {@link SessionRecord.callerId}; messages for the session of another caller are dropped. */
  readonly callerId: string;
  /** Messages of the client, in their order. */
  readonly messages: readonly JSONRPCMessage[];
  /** True if the client has ended the session. */
  readonly ended: boolean;
}

/**
 * Holds what the replicas of a gateway share: small records that expire, counters of rate limits, and messages to each other. Every method
 * rejects with `STORE_UNAVAILABLE` while the place where it is kept cannot be reached.
 */
export interface SharedState {
  /** Returns a record, or undefined if it does not exist, has expired, or is unreadable. */
  get(key: string): Promise<SharedRecord | undefined>;
  /** Stores a value, which is plain JSON. Returns false, and stores nothing, if `options.version` does not match. */
  set(key: string, value: unknown, options: SharedRecordOptions): Promise<boolean>;
  /** Lets a record live for `lifetimeMs` from now on, in milliseconds. Returns whether it exists. */
  touch(key: string, lifetimeMs: number): Promise<boolean>;
  /** Removes a record, if there is one. */
  delete(key: string): Promise<void>;
  /** Counts one request against all these limits, or against none of them if one is exhausted. */
  admit(limits: readonly SharedLimit[]): Promise<Admission>;
  /**
   * Makes this process a replica, which can be sent messages until it leaves, ends, or is silent for ten seconds. Never throws: while the
   * state cannot be reached, it tries again.
   */
  join(receive: ReplicaReceiver): ReplicaMembership;
}

/** A record of a {@link SharedState}. */
export interface SharedRecord {
  /** The stored value. Do not change it. */
  readonly value: unknown;
  /** Changes with each `set`. */
  readonly version: string;
}

/** Options of {@link SharedState.set}. */
export interface SharedRecordOptions {
  /** Time after which the record is removed, in milliseconds. */
  readonly lifetimeMs: number;
  /** Stores only if the record still has this version; the empty text: only if it does not exist. Default: always. */
  readonly version?: string | undefined;
}

/** A rate limit and what it is counted for. */
export interface SharedLimit {
  /** Identifies the counter. Use one key with the same numbers always. */
  readonly key: string;
  /** Requests that may come at once. One more is allowed every `intervalMs / requests`. */
  readonly requests: number;
  /** Time in which an exhausted limit is whole again, in milliseconds. */
  readonly intervalMs: number;
}

/** Answer of {@link SharedState.admit}. */
export type Admission =
  | { readonly admitted: true }
  /** `retryAfterMs`: time until all limits allow a request again, if no other one comes, in milliseconds. At least 1. */
  | { readonly admitted: false; readonly retryAfterMs: number };

/** Receives a message of a replica, once. Must not throw. */
export type ReplicaReceiver = (message: unknown, from: string) => void;

/** A process among the replicas, from {@link SharedState.join}. */
export interface ReplicaMembership {
  /** Identifies this process among the replicas; never used again by another one. */
  readonly id: string;
  /** Resolves when the others can send to it. Never rejects. */
  readonly joined: Promise<void>;
  /**
   * Sends plain JSON to a replica. Returns false if there is no such replica. True does not mean that it receives the message: it may
   * have just ended.
   */
  send(to: string, message: unknown): Promise<boolean>;
  /** Returns the ids of all replicas, with this one. One that was killed is among them for ten seconds. */
  replicas(): Promise<readonly string[]>;
  /** Receives messages with less delay until the result is disposed of: something here waits for them. */
  expect(): Disposable;
  /** Ends the membership. Messages that were not received are dropped. */
  leave(): Promise<void>;
}

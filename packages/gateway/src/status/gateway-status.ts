import type { ConnectionStatus } from '@mcp-fittings/host';
import type { ErrorCode } from '@mcp-fittings/client-core';
import type { LatencyStatus } from './latency.js';

/**
 * What a caller sees of the gateway, at `/status` and on the page. It has only servers that the caller may use, and requests that this
 * caller has made. All text of servers is bounded, and control, invisible and direction-changing characters in it are escaped.
 */
export interface GatewayStatus {
  /** Version of the gateway, if it was given. */
  readonly version?: string | undefined;
  /** Time of this snapshot, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since the gateway was created. */
  readonly uptimeMs: number;
  /** Upper bounds of `buckets` of each {@link LatencyStatus}, in milliseconds; the last bucket has what took longer. */
  readonly latencyBoundsMs: readonly number[];
  /** The servers, in the order of the host. */
  readonly servers: readonly ServerStatus[];
  /** The newest errors first, at most 50. */
  readonly errors: readonly ErrorStatus[];
}

/** A server that the caller may use. */
export interface ServerStatus {
  /** Name of the server in the host. */
  readonly name: string;
  /** Type of its transport, such as `stdio` or `http`. */
  readonly type?: string | undefined;
  /** Name and version that the server's program claims. */
  readonly program?: string | undefined;
  /** Negotiated revision of the protocol. */
  readonly protocolVersion?: string | undefined;
  /** State of the caller's connection. */
  readonly state: ServerStateStatus;
  /** Number of tools that the caller may use, and of the other items that the server lists. */
  readonly counts: {
    readonly tools: number;
    readonly prompts: number;
    readonly resources: number;
    readonly resourceTemplates: number;
  };
  /** Requests of the caller to this server that have ended. */
  readonly requests: LatencyStatus & {
    /** How many of them failed. */
    readonly failed: number;
  };
}

/** State of a connection. */
export interface ServerStateStatus {
  /** State of the connection. */
  readonly status: ConnectionStatus;
  /** Why, in one sentence; absent if there is nothing to say. */
  readonly reason?: string | undefined;
  /** Code of the error that led to this state. */
  readonly code?: ErrorCode | undefined;
  /** What the user can do about it. */
  readonly hint?: string | undefined;
  /** When the server became connected, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** When the next attempt to connect begins, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
}

/** A request of the caller that failed, or an error of one of the connections that the caller uses. */
export interface ErrorStatus {
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  /** Name of the server in the host. */
  readonly server: string;
  /** Code of the error. */
  readonly code: ErrorCode;
  /** What happened, bounded and without values of the entry. */
  readonly message: string;
  /** Method of the request. Absent: not an error of a request. */
  readonly method?: string | undefined;
  /** Tool, prompt or resource of the request. */
  readonly target?: string | undefined;
}

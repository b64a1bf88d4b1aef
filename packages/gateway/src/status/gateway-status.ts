import type { ConnectionStatus } from '@mcp-fittings/host';
import type { ErrorCode } from '@mcp-fittings/client-core';

/**
 * Snapshot of the gateway for one caller, at `/status` and on the page. It has only servers that the caller may use, and requests that this
 * caller has made. All text of servers is bounded, and control, invisible and direction-changing characters in it are escaped.
 */
export interface GatewayStatus {
  /** Version of the gateway, if it was given. */
  readonly version?: string | undefined;
  /** Time of this snapshot, in milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds since the gateway was created. */
  readonly uptimeMs: number;
  /** Upper bounds of `requests.buckets` of each server, in milliseconds; the last bucket has what took longer. */
  readonly latencyBoundsMs: readonly number[];
  /** The servers that the caller may use, in the order of the host. */
  readonly servers: readonly {
    /** Name of the server in the host. */
    readonly name: string;
    /** Type of its transport, such as `stdio` or `http`. */
    readonly type?: string | undefined;
    /** Name and version that the server's program claims. */
    readonly program?: string | undefined;
    /** Negotiated revision of the protocol. */
    readonly protocolVersion?: string | undefined;
    /** State of the caller's connection. */
    readonly state: {
      /** State of the connection. */
      readonly status: ConnectionStatus;
      /** Reason for the state, in one sentence; absent if there is nothing to say. */
      readonly reason?: string | undefined;
      /** Code of the error that led to this state. */
      readonly code?: ErrorCode | undefined;
      /** Tells the user what to do about it. */
      readonly hint?: string | undefined;
      /** Time at which the server became connected, in milliseconds since the epoch. */
      readonly since?: number | undefined;
      /** Time at which the next attempt to connect begins, in milliseconds since the epoch. */
      readonly retryAt?: number | undefined;
    };
    /** Number of tools that the caller may use, and of the other items that the server lists. */
    readonly counts: {
      readonly tools: number;
      readonly prompts: number;
      readonly resources: number;
      readonly resourceTemplates: number;
    };
    /** Requests of the caller to this server that have ended. */
    readonly requests: {
      /** Number of requests that have ended. */
      readonly count: number;
      /** Number of requests in each bucket, not cumulative; one more than there are bounds. */
      readonly buckets: readonly number[];
      /** Half of the requests took at most this many milliseconds. Absent: longer than every bound, or no request yet. */
      readonly medianMs?: number | undefined;
      /** 95 of 100 requests took at most this many milliseconds. Absent as `medianMs`. */
      readonly p95Ms?: number | undefined;
      /** Requests that failed. */
      readonly failed: number;
    };
  }[];
  /** Requests of the caller that failed, and errors of the connections that the caller uses: the newest first, at most 50. */
  readonly errors: readonly {
    /** Time of the failure, in milliseconds since the epoch. */
    readonly at: number;
    /** Name of the server in the host. */
    readonly server: string;
    /** Code of the error. */
    readonly code: ErrorCode;
    /** Message of the error, bounded and without values of the entry. */
    readonly message: string;
    /** Method of the request. Absent: not an error of a request. */
    readonly method?: string | undefined;
    /** Tool, prompt or resource of the request. */
    readonly target?: string | undefined;
  }[];
}

/** A server that the caller may use. */
export type ShownServer = GatewayStatus['servers'][number];

/** A request of the caller that failed, or an error of one of the connections that the caller uses. */
export type ShownError = GatewayStatus['errors'][number];

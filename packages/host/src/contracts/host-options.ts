import type {
  AuthPlugin,
  Clock,
  HostCache,
  Logger,
  ServerConfig,
  TransportPlugin,
} from '@mcp-fittings/client-core';
import type { ClientIdentity, Engine } from './engine.js';
import type { Interceptor } from './interceptor.js';
import type { HostCallbacks } from './server-requests.js';

/**
 * Options of `createHost()`. Only `name`, `version` and `transports` are required.
 * @example
 * const options: HostOptions = {
 *   name: 'my-agent',
 *   version: '1.0.0',
 *   transports: [stdio(), http()],
 *   lazy: true,
 *   limits: { connectMs: 10_000 },
 * };
 */
export interface HostOptions extends ClientIdentity {
  /**
   * Implementation of the protocol: one of `@mcp-fittings/engine-sdk`, or an {@link Engine} of your own. Default: the host speaks MCP
   * itself, in revisions 2024-11-05 to 2025-11-25, and 2026-07-28.
   */
  readonly engine?: Engine | undefined;
  /**
   * Transports that entries may use, such as `[stdio(), http()]`. An entry that needs another one fails with
   * `TRANSPORT_UNKNOWN`.
   */
  readonly transports: readonly TransportPlugin[];
  /**
   * Sign-in schemes. They are asked in order for each server; the first that accepts the server signs its requests. A function
   * is called before a server is first connected or signed in to, and loads the schemes that its entry may need. Default: none.
   */
  readonly auth?:
    readonly AuthPlugin[] | ((config: ServerConfig) => Promise<readonly AuthPlugin[]>) | undefined;
  /**
   * Returns where the entry of a server comes from, such as `ServerEntry.id` of `@mcp-fittings/config`. Credentials of one
   * entry are not used for another one with the same name and URL. Default: the name of the server.
   */
  readonly identityOf?: ((server: string) => string | undefined) | undefined;
  /** Answers to requests of servers: elicitation, sampling and roots. Default: none, so that no such capability is declared. */
  readonly callbacks?: HostCallbacks | undefined;
  /**
   * Functions that surround connects, lists, calls and requests of servers: to record, change, refuse or answer them. The first
   * one is the outermost. Default: none, which costs nothing.
   */
  readonly intercept?: readonly Interceptor[] | undefined;
  /** Receives diagnostics, log messages of servers, and the stderr of stdio servers. Default: none. */
  readonly logger?: Logger | undefined;
  /** Clock for all deadlines and delays, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Connects each server when it is first used rather than in `host.connect()`; `lazy` of an entry takes precedence.
   * Default `false`.
   */
  readonly lazy?: boolean | undefined;
  /**
   * Disconnects a server that was unused for this many milliseconds; `idleMs` of an entry takes precedence. Default 0:
   * never.
   */
  readonly idleMs?: number | undefined;
  /** Policy for a call while its server is not connected; `delivery` of an entry takes precedence. Default `reconnect`. */
  readonly delivery?: DeliveryPolicy | undefined;
  /**
   * Opaque id of the person for whom the host acts, such as an account id. What a server does not call public is kept in
   * {@link cache} for this user alone. Set it if hosts of several users share a cache. A host that serves several principals
   * names them in `principal` of each call instead. Default: none.
   */
  readonly principal?: string | undefined;
  /**
   * Keeps lists and handshakes between runs, so that the tools of a lazy server are known before it has connected. What a
   * server does not call public (`cacheScope`, revision 2026-07-28) is kept per {@link principal} and signed-in account,
   * and is not kept if neither is known. Default: none.
   */
  readonly cache?: HostCache | undefined;
  /**
   * Returns the current trace context (`traceparent`, `tracestate`, `baggage`) for `_meta` of each request and notification,
   * lists and the handshake included. What the caller puts into `_meta` takes precedence. Default: none.
   * @see https://www.w3.org/TR/trace-context/
   */
  readonly traceContext?: (() => Readonly<Record<string, string>> | undefined) | undefined;
  /** Returns a random number in [0, 1) for the jitter of delays, for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /**
   * Settings for entries that do not have their own. Each member is merged separately. An invalid value fails every server with
   * `CONFIG_INVALID`. Default: none.
   */
  readonly defaults?:
    | {
        /** Longest time of a call without a response or progress, in milliseconds. Default: `limits.callMs`. */
        readonly timeout?: number | undefined;
        /** Attempts to reconnect a server after a failed attempt or a lost connection. */
        readonly reconnect?:
          | {
              /** Attempts after the first one, at most 1000; 0 turns reconnecting off. Default 5. */
              readonly maxAttempts?: number | undefined;
              /** Delay before the second attempt, in milliseconds; it doubles up to 30 000. Default 1000. */
              readonly delayMs?: number | undefined;
            }
          | undefined;
        /** Checks the health of connected servers, unless `enabled` is `false`. Default: no checks. */
        readonly healthCheck?:
          | {
              /** If false, servers are not checked. Default `true`. */
              readonly enabled?: boolean | undefined;
              /** Milliseconds between two checks. Default 30 000. */
              readonly intervalMs?: number | undefined;
              /** Longest time for a response, in milliseconds. Default 10 000. */
              readonly timeoutMs?: number | undefined;
              /** Consecutive failures after which the connection is given up and made again. Default 3. */
              readonly maxFailures?: number | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Deadlines and bounds; each member has a default. */
  readonly limits?: Partial<HostLimits> | undefined;
}

/**
 * Policy for a call while its server is not connected. `none`: it fails at once. `reconnect`: it waits for the connection, and is never
 * sent twice. `retry`: it is also sent again if the server certainly did not carry it out, or if its tool is marked read-only or
 * idempotent.
 */
export type DeliveryPolicy = 'none' | 'reconnect' | 'retry';

/** Deadlines in milliseconds, and bounds on what servers may send. */
export interface HostLimits {
  /**
   * Longest time to open the transport and perform the handshake; `connectTimeout` of an entry takes precedence. Default
   * 30 000.
   */
  readonly connectMs: number;
  /**
   * Longest time of each request that restores a connection: lists, subscriptions and the log level; `discoveryTimeout` of an
   * entry takes precedence. Default 15 000.
   */
  readonly discoveryMs: number;
  /** Longest time of a call without a response or progress; `timeout` of an entry takes precedence. Default 600 000. */
  readonly callMs: number;
  /** Longest time of each list request; `discoveryTimeout` of an entry takes precedence. Default: `discoveryMs`. */
  readonly listMs?: number | undefined;
  /** Longest time of a call in all, regardless of progress. Default 3 600 000. */
  readonly callTotalMs: number;
  /**
   * Most servers that connect at the same time. A server that has not connected after half a second makes room for the next one, so that
   * servers that hang do not delay the others. Default 16.
   */
  readonly parallelConnects: number;
  /** Most pages that are read of one list. Default 64. */
  readonly listPages: number;
  /**
   * Most items that are kept of one list. Together they may take 4096 bytes for each that is allowed, and at least 16 MiB; a JSON
   * value counts as its text, and at least as 32 bytes. Default 10 000.
   */
  readonly listItems: number;
  /**
   * Bytes that the lists of all servers may take together; what does not fit is left out. A JSON value counts as its text, and at
   * least as 32 bytes. Default 268 435 456.
   */
  readonly listBytes: number;
  /**
   * Connections that may exist for principals whom calls name, all servers together; a local server has one process
   * each. The one that was unused for longest makes room for the next; if all are in use, a call rejects with `CONNECT_FAILED`.
   * Default 256.
   */
  readonly principals: number;
  /** Time without use after which such a connection is closed and forgotten, in milliseconds. Default 300 000. */
  readonly principalIdleMs: number;
  /** Longest time of a callback that answers a server. Default 600 000. */
  readonly callbackMs: number;
  /**
   * Messages of one server per second that answer no request of the host, counted separately for requests, progress, list
   * changes and other notifications. Excess notifications are dropped, and excess requests refused. Default 200.
   */
  readonly eventsPerSecond: number;
}

import type { Clock, Logger, SharedState } from '@mcp-fittings/client-core';
import type { NamingStrategy, ToolPolicy } from '@mcp-fittings/tools';
import type { CallbackRouter } from '../callbacks/callback-router.js';
import type { Access, AccessRequest, UpstreamSignIn } from './access.js';
import type { Caller } from './caller.js';
import type { Pages } from './gateway.js';
import type { RequestEvent } from './request-event.js';

/** Options of {@link createGateway}: what is served, and to whom. */
export interface GatewayOptions {
  /** Names tools and prompts at the address of all servers. Default `naming.serverPrefixed`: `server__tool`. */
  readonly naming?: NamingStrategy | undefined;
  /**
   * Decides which tools clients see and may call. A tool that it denies is not listed; one that it asks for asks the client. Default: all.
   */
  readonly policy?: ToolPolicy | undefined;
  /**
   * Handles calls of an unlisted tool at the address of one server: `refuse` answers that the tool is unknown; `send` lets the server
   * answer, also for a tool that an interceptor has left out of the list. Default `refuse`.
   */
  readonly unlisted?: 'refuse' | 'send' | undefined;
  /** Limits which servers are served, and which of their items. Default: everything. */
  readonly expose?:
    | {
        /** Names of the servers. Default: all, also those that are added later. */
        readonly servers?: readonly string[] | undefined;
        /** Kinds of items that are served. `resources` stands for templates and subscriptions too. Default: everything. */
        readonly kinds?: readonly ('tools' | 'prompts' | 'resources')[] | undefined;
      }
    | undefined;
  /** Passes questions of servers on to clients. Default: servers cannot ask. */
  readonly callbacks?: CallbackRouter | undefined;
  /** Told of each request that has ended. Must not throw. Default: none. */
  readonly observe?: ((event: RequestEvent) => void) | undefined;
  /** Name and version of the gateway, for clients. Default: `mcp-fittings`. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Deadlines in milliseconds, and bounds. */
  readonly limits?:
    | {
        /** Longest time that a list waits for servers that are not connected yet. Default 10 000. */
        readonly listMs?: number;
        /** Longest time that a handshake waits for them, for its capabilities and instructions. Default 3000. */
        readonly handshakeMs?: number;
        /** Longest time that a call waits for an answer of its client. Default 600 000. */
        readonly answerMs?: number;
        /** Most calls that wait for answers. Default 1000. */
        readonly heldCalls?: number;
        /** Most calls of one caller that wait for answers. Default 32. */
        readonly heldCallsPerCaller?: number;
        /** Most resources that one connection subscribes to. Default 1000. */
        readonly subscriptions?: number;
      }
    | undefined;
  /**
   * Decides who a request over HTTP comes from. Without it and without {@link trustedCaller}, every request over HTTP is refused; sockets
   * and stdio need none. Default none.
   */
  readonly access?: Access | undefined;
  /**
   * Names the caller of requests that a program has authenticated itself and passes to {@link Gateway.fetch} or {@link Gateway.listener}.
   * The gateway checks nothing then, so {@link Gateway.listen} refuses a port. Excludes {@link access}. Default none.
   */
  readonly trustedCaller?: Caller | ((request: AccessRequest) => Caller) | undefined;
  /** Caller for requests over a socket or stdio. Default: a caller with the id `owner`, who may use everything. */
  readonly owner?: Caller | undefined;
  /** Pages at which a caller signs in to a server of the host. Default: a server that requires a sign-in refuses calls. */
  readonly signIn?: UpstreamSignIn | undefined;
  /** Pages at other paths than {@link basePath}, asked in this order after those of {@link access} and {@link signIn}. Default none. */
  readonly pages?: readonly Pages[] | undefined;
  /** Path of the endpoint for all servers; `{basePath}/{server}` is that of one. Default: `/mcp`. */
  readonly basePath?: string | undefined;
  /**
   * Host names by which clients reach the gateway, such as `mcp.example.com` or `mcp.example.com:8443`, besides the names of loopback. A
   * request with another `Host` is refused, which keeps out web pages that have rebound their own name. Default none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may connect, such as `https://app.example.com`. Any other `Origin` is refused. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Limits of the sessions of clients before revision 2026-07-28. */
  readonly sessions?:
    | {
        /**
         * Most sessions at a time. At the limit, an idle one ends: of the caller's own, or else of all, the one idle longest. If all are in use, a
         * new one is refused with 503. Default: 1000.
         */
        readonly max?: number | undefined;
        /** Most sessions of one caller, in the same way. Default: 100. */
        readonly maxPerCaller?: number | undefined;
        /** Time without a request and without an event stream after which a session ends, in milliseconds. Default: 30 minutes. */
        readonly idleMs?: number | undefined;
        /**
         * Time for which a client that has lost the connection of an event stream can read on over another one, in milliseconds; 0 for none. A call whose client does not return is canceled then. Default: 60 000.
         */
        readonly resumeMs?: number | undefined;
        /** Most characters of events that a session keeps for it; the oldest are dropped. Default: 1 Mi. */
        readonly resumeLength?: number | undefined;
      }
    | undefined;
  /** Largest body of a request, and largest message over stdio, in bytes. Default: 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Most bytes of one response that wait for a client that does not read; then the response ends. Default: 16 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Most `subscriptions/listen` streams of one caller at one address. Default: 64. */
  readonly maxSubscriptions?: number | undefined;
  /**
   * Time between comments that keep an event stream open, in milliseconds; 0 for none. The response to a request that takes longer becomes
   * an event stream. Default: 15 000.
   */
  readonly keepAliveMs?: number | undefined;
  /** Milliseconds that `close()` waits for clients to read their last response. Default: 2000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives diagnostics. Default: none. */
  readonly logger?: Logger | undefined;
  /**
   * Holds what the replicas of a gateway share: sessions, messages to each other, and counters of {@link rateLimits}. `redisSharedState()`
   * of `@mcp-fittings/store-redis` is one. Default: this gateway is the only replica.
   */
  readonly state?: SharedState | undefined;
  /**
   * Limits the requests that reach servers; all of these limits hold. `requests` may come at once; from then on one more is allowed every
   * `intervalMs / requests` (the generic cell rate algorithm), so that a full interval never lets twice as many through. Default: any
   * number.
   */
  readonly rateLimits?:
    | readonly {
        /**
         * Counts the requests of each person (of each caller, where callers have no principal), those to each server, or those of each
         * person to each server.
         */
        readonly per: 'principal' | 'server' | 'principal+server';
        /** Requests in an interval. At least 1. */
        readonly requests: number;
        /** Length of the interval, in milliseconds. More than 0. */
        readonly intervalMs: number;
      }[]
    | undefined;
  /** Serves a page at `/` that shows callers the state of the gateway, behind {@link access}. With `true`, with the defaults. Default: no page. */
  readonly status?:
    | boolean
    | {
        /** Version to show. Default: that of `serverInfo` of the gateway. */
        readonly version?: string | undefined;
        /** Most browsers that are signed in at once; the one unused for longest is signed out for a new one. Default 1000. */
        readonly maxSessions?: number | undefined;
        /** Longest time for which a browser stays signed in, in milliseconds. It ends earlier with the token. Default 28 800 000 (8 h). */
        readonly sessionMs?: number | undefined;
      }
    | undefined;
}

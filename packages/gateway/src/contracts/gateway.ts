import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { Clock, Logger } from '@mcp-fittings/client-core';
import type { Access, UpstreamSignIn } from './access.js';
import type { Caller, Mount } from './caller.js';
import type { SessionStore } from './session-store.js';

/** The servers of a host, offered to MCP clients. */
export interface Gateway extends AsyncDisposable {
  /**
   * Answers a request, in any runtime with the Fetch API. Returns a response for every error; the body of a refusal is a JSON-RPC error.
   * Aborting `request.signal`, or canceling the body of the response, cancels the call.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Answers a request of `node:http`. It is a bound function, so it can be passed on.
   *
   * @example
   * ```ts
   * http.createServer(gateway.listener).listen(8080, '127.0.0.1');
   * ```
   */
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  /**
   * Listens on a TCP port, a Unix socket, or a named pipe of Windows. A port needs {@link FrontDoorOptions.access} on loopback too,
   * because every user of the machine can connect to it. A socket has mode 0600: only its owner can connect, and needs no token.
   *
   * Rejects with `CONFIG_INVALID` if another user could use the gateway or replace the socket, or the address is in use, and with
   * `CONNECT_FAILED` if the operating system refuses for another reason.
   */
  listen(address: ListenAddress): Promise<GatewayListener>;
  /** Serves the program that started this one. Resolves when it has closed stdin, or `signal` is aborted, or the gateway is closed. */
  serveStdio(options?: StdioOptions): Promise<void>;
  /** Returns what is going on now, for health checks and before a shutdown. */
  load(): GatewayLoad;
  /**
   * Stops listening, withdraws the calls that still wait for an answer, and ends all sessions. Clients get an error for each call. Does
   * not close the host.
   */
  close(): Promise<void>;
}

/** Where {@link Gateway.listen} listens. */
export type ListenAddress =
  | {
      /** TCP port; with 0 the operating system chooses a free one. */
      readonly port: number;
      /** Address of the interface. Default: `127.0.0.1`. Any other than loopback needs {@link FrontDoorOptions.allowedHosts}. */
      readonly host?: string | undefined;
    }
  | {
      /** Absolute path of a Unix socket, or on Windows of a named pipe such as `\\.\pipe\my-gateway`. */
      readonly socketPath: string;
    };

/** A socket on which the gateway listens. */
export interface GatewayListener extends AsyncDisposable {
  /** Where it listens, with the port that the operating system has chosen. */
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  /** URL of the endpoint for all servers. For a socket, `http://localhost` with its path: the socket is given to the client apart. */
  readonly url: string;
  /** Stops listening, and closes the connections that this socket has accepted. Sessions continue elsewhere. */
  close(): Promise<void>;
}

/** Options of {@link Gateway.serveStdio}. */
export interface StdioOptions {
  /** Default: `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default: `process.stdout`. Nothing else may write to it. */
  readonly output?: Writable | undefined;
  /** The server to offer under its original names. Default: all servers. */
  readonly mount?: Mount | undefined;
  /** Ends the connection when it is aborted. Default none. */
  readonly signal?: AbortSignal | undefined;
}

/** What a gateway is doing. */
export interface GatewayLoad {
  /** Sessions of clients before revision 2026-07-28, on this replica. */
  readonly sessions: number;
  /** Requests that have no complete response yet. Event streams are not requests. */
  readonly requestsInFlight: number;
  /** What the rate limits have done since the start. */
  readonly rateLimits?: RateLimiterCounts | undefined;
}

/** Numbers since the start of the gateway. */
export interface RateLimiterCounts {
  /** Requests that were refused. */
  readonly refused: number;
  /** Requests that were counted by this replica alone, because the shared state could not be reached. */
  readonly local: number;
}

/** Answers requests to paths of its own, such as a status page. */
export interface Pages {
  /**
   * Returns `undefined` for any other path. Must decide by itself who may read the page; `authenticate` says who a request comes from, as
   * for MCP at the same address or socket.
   */
  respond(request: Request, authenticate: Access['authenticate']): Promise<Response | undefined>;
}

/** Options of the gateway about clients: who they are, and how they connect. */
export interface FrontDoorOptions {
  /**
   * Decides who a request over HTTP comes from. Without it and without {@link trustedCaller}, every request over HTTP is refused; sockets
   * and stdio need none. Default none.
   */
  readonly access?: Access | undefined;
  /**
   * Who the requests come from that a program passes to {@link Gateway.fetch} or {@link Gateway.listener} after it has authenticated them
   * itself. The gateway checks nothing then, so {@link Gateway.listen} refuses a port. Excludes {@link access}. Default none.
   */
  readonly trustedCaller?: Caller | ((request: Request) => Caller) | undefined;
  /** Who uses a socket or stdio. Default: a caller with the id `owner`, who may use everything. */
  readonly owner?: Caller | undefined;
  /** Pages at which a caller signs in to a server of the host. Default none. */
  readonly signIn?: UpstreamSignIn | undefined;
  /** Further pages, asked in this order after those of {@link access} and {@link signIn}. Default none. */
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
  readonly sessions?: SessionOptions | undefined;
  /** Largest body of a request, and largest message over stdio, in bytes. Default: 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Most bytes of one response that wait for a client that does not read; then the response ends. Default: 16 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Most `subscriptions/listen` streams of one caller at one address. Default: 64. */
  readonly maxSubscriptions?: number | undefined;
  /** Time between comments that keep an event stream open, in milliseconds; 0 for none. Default: 15 000. */
  readonly keepAliveMs?: number | undefined;
  /** How long `close()` waits for clients to read their last response, in milliseconds. Default: 2000. */
  readonly closeTimeoutMs?: number | undefined;
  /** Clock of idle sessions and of `close()`. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Default: nothing is logged. */
  readonly logger?: Logger | undefined;
}

/** Limits of sessions, and where they are kept. */
export interface SessionOptions {
  /** Most sessions at a time. At the limit, the longest idle one ends; if all are in use, a new one is refused with 503. Default: 1000. */
  readonly max?: number | undefined;
  /** Most sessions of one caller, in the same way. Default: 100. */
  readonly maxPerCaller?: number | undefined;
  /** Time without a request and without an event stream after which a session ends, in milliseconds. Default: 30 minutes. */
  readonly idleMs?: number | undefined;
  /** Keeps what another replica needs to continue a session. Default: a session ends with this process. */
  readonly store?: SessionStore | undefined;
}

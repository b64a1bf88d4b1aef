import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { Access } from './access.js';

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
   * Listens on a TCP port, a Unix socket, or a named pipe of Windows. A port needs {@link GatewayOptions.access} on loopback too,
   * because every user of the machine can connect to it. A socket has mode 0600: only its owner can connect, and needs no token.
   *
   * Rejects with `CONFIG_INVALID` if another user could use the gateway or replace the socket, or the address is in use, and with
   * `CONNECT_FAILED` if the operating system refuses for another reason.
   */
  listen(
    address:
      | {
          /** TCP port; with 0 the operating system chooses a free one. */
          readonly port: number;
          /** Address of the interface. Default: `127.0.0.1`. Any other than loopback needs {@link GatewayOptions.allowedHosts}. */
          readonly host?: string | undefined;
        }
      | {
          /** Absolute path of a Unix socket, or on Windows of a named pipe such as `\\.\pipe\my-gateway`. */
          readonly socketPath: string;
        },
  ): Promise<GatewayListener>;
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

/** A socket on which the gateway listens. */
export interface GatewayListener extends AsyncDisposable {
  /** Address of the listener, with the port that the operating system has chosen. */
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
  readonly mount?: { readonly server?: string | undefined } | undefined;
  /** Ends the connection when it is aborted. Default none. */
  readonly signal?: AbortSignal | undefined;
}

/** Current load of a gateway. */
export interface GatewayLoad {
  /** Sessions of clients before revision 2026-07-28, on this replica. */
  readonly sessions: number;
  /** Requests that have no complete response yet. Event streams are not requests. */
  readonly requestsInFlight: number;
  /** Requests that the rate limits have decided since the start. */
  readonly rateLimits?:
    | {
        /** Requests that were refused. */
        readonly refused: number;
        /** Requests that were counted by this replica alone, because the shared state could not be reached. */
        readonly local: number;
      }
    | undefined;
}

/** Answers requests to paths of its own, such as a status page. */
export interface Pages {
  /**
   * Returns `undefined` for any other path; it is not asked for those of the endpoint. Must decide by itself who may read the page; `authenticate` says who a request comes from, as
   * for MCP at the same address or socket.
   */
  respond(request: Request, authenticate: Access['authenticate']): Promise<Response | undefined>;
}

import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Logger, Transport } from '@mcp-fittings/client-core';
import type { WebSocketConnectionOptions } from '../socket/socket-options.js';

/** Options of a WebSocket server: who may connect, and the limits. Times are in milliseconds. */
export interface WebSocketServerOptions extends WebSocketConnectionOptions {
  /** HTTP server whose upgrade requests are handled. The caller starts and closes it. */
  readonly server: Server | SecureServer;
  /** Path of the upgrade requests to handle, such as `/mcp`. Default: every path. */
  readonly path?: string | undefined;
  /** Secret of at least 16 characters that every client has to send. It is compared in constant time. Default: none. */
  readonly token?: string | undefined;
  /** Header that contains the bare token. Default: `Authorization` with the scheme `Bearer`. */
  readonly tokenHeader?: string | undefined;
  /**
   * Checks the credentials of an upgrade request instead of `token`. `true` accepts it. Any other value refuses it: an object with its
   * `status` (401 for missing or invalid credentials, 403 for credentials without access) and `wwwAuthenticate`, which tells the client
   * where and with which scopes to sign in; an error with 500, and everything else with 401. `signal` is aborted when the client disconnects, the time is over, or the
   * server closes. Default: none.
   */
  readonly authenticate?:
    | ((
        request: IncomingMessage,
        signal: AbortSignal,
      ) =>
        | boolean
        | { readonly status: 401 | 403; readonly wwwAuthenticate?: string | undefined }
        | Promise<boolean | { readonly status: 401 | 403; readonly wwwAuthenticate?: string | undefined }>)
    | undefined;
  /**
   * Origins whose pages may connect, such as `https://app.example`. A request with another Origin is refused, even with a valid
   * token. Without `token` and `authenticate`, a request without an Origin is refused too. Default: none.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Values of the Host header to accept, with or without a port. `'any'` accepts all of them, which makes the server vulnerable to
   * DNS rebinding. Default: loopback names and addresses.
   */
  readonly allowedHosts?: readonly string[] | 'any' | undefined;
  /**
   * Called for each connection. Start the transport within `handshakeMs`, for example with `mcpServer.connect(transport)`. If the
   * callback throws or rejects, the connection ends with the close code 1011.
   */
  readonly onConnection: (transport: Transport, request: IncomingMessage) => void | Promise<void>;
  /** Largest message that is accepted, in bytes after decompression; a larger one ends the connection with the close code 1009. Default 67 108 864 (64 MiB). */
  readonly maxMessageBytes?: number | undefined;
  /** If true, accepts compression if a client offers it. Default `false`. */
  readonly perMessageDeflate?: boolean | undefined;
  /** Connections at a time; further upgrades are answered with 503. Default 100. */
  readonly maxConnections?: number | undefined;
  /** Upgrades that wait for `authenticate` at a time; further ones are answered with 503. Default 32. */
  readonly maxHandshakes?: number | undefined;
  /** Time limit of `authenticate`, and then of starting the transport. Default 10 000. */
  readonly handshakeMs?: number | undefined;
  /** Receives a warning for the first, tenth, hundredth … refused upgrade of each kind, and errors of the callbacks. Default: none. */
  readonly logger?: Logger | undefined;
}

/** A running WebSocket server. */
export interface WebSocketServer extends AsyncDisposable {
  /** Number of connected clients. */
  readonly connections: number;
  /** Refuses further upgrades and closes every connection with 1001. Resolves when all are closed. Safe to call again. */
  close(): Promise<void>;
}

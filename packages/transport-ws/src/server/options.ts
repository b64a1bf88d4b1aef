import type { IncomingMessage, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { Logger, Transport } from '@mcp-fittings/client-core/transport';
import type { SocketOptions } from '../socket/socket-options.js';

/** Who may connect, and what becomes of the connection. Times are milliseconds. */
export interface WebSocketServerOptions extends SocketOptions {
  /** Listens elsewhere; only its upgrade requests are taken. It is not closed with the WebSocket server. */
  readonly server: Server | SecureServer;
  /** Path of the upgrade requests that are for us. Default: every path. */
  readonly path?: string | undefined;
  /** Secret of at least 16 characters that every client has to show. Compared in constant time. */
  readonly token?: string | undefined;
  /** Header that carries the token as it is. Default: `Authorization: Bearer …`. */
  readonly tokenHeader?: string | undefined;
  /** Decides instead of `token`. */
  readonly authenticate?: Authenticate | undefined;
  /**
   * Origins whose pages may connect, e.g. `https://app.example`. A request with another Origin is always refused, also
   * with the right token. Without `token` and `authenticate`, a request without Origin is refused too. Default none.
   */
  readonly allowedOrigins?: readonly string[] | undefined;
  /**
   * Values of the Host header to accept, with a port or without; `'any'` for all of them, which leaves the server open
   * to DNS rebinding. Default: every name of this machine's loopback.
   */
  readonly allowedHosts?: readonly string[] | 'any' | undefined;
  /**
   * A client is connected: give the transport to a server, e.g. `mcpServer.connect(transport)`, before the
   * handshake's time is over. When it throws, the connection ends with 1011.
   */
  readonly onConnection: (transport: Transport, request: IncomingMessage) => void | Promise<void>;
  /** Largest message that is accepted, in bytes after inflating; a larger one closes with 1009. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Accept an offer of compression. Default false. */
  readonly perMessageDeflate?: boolean | undefined;
  /** Connections at a time; more are answered 503. Default 100. */
  readonly maxConnections?: number | undefined;
  /** Upgrades that `authenticate` is still busy with; more are answered 503. Default 32. */
  readonly maxHandshakes?: number | undefined;
  /** Time for `authenticate`, and then for starting the transport. Default 10 000. */
  readonly handshakeMs?: number | undefined;
  /** Told of refused upgrades, the first, tenth, hundredth … of each kind, and of an `onConnection` that threw. */
  readonly logger?: Logger | undefined;
}

/** True accepts, false refuses with 401. Throwing refuses with 500. */
export type Authenticate = (
  request: IncomingMessage,
  signal: AbortSignal,
) => boolean | AuthenticateRefusal | Promise<boolean | AuthenticateRefusal>;

export interface AuthenticateRefusal {
  readonly status: 401 | 403;
  /** Value of `WWW-Authenticate`: where and with which scope to sign in. */
  readonly wwwAuthenticate?: string | undefined;
}

/** Accepts connections until it is closed. */
export interface WebSocketServer extends AsyncDisposable {
  /** How many clients are connected now. */
  readonly connections: number;
  /** Stops accepting and ends every connection with 1001. Safe to call again; resolves when all are gone. */
  close(): Promise<void>;
}

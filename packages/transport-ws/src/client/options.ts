import type { AuthProvider, Logger } from '@mcp-fittings/client-core/transport';
import type { RetryLaterOptions, TlsOptions } from '@mcp-fittings/remote-policy';
import type { SocketOptions } from '../socket/socket-options.js';

/** How a WebSocket server is reached. Every member but `url` has a default; times are milliseconds. */
export interface WebSocketTransportOptions extends SocketOptions {
  /** `wss:` or `ws:`, without user name, password and fragment. */
  readonly url: string | URL;
  /**
   * Allow `ws:` to a host that is not this machine: everyone on the way can read and change all messages and credentials.
   * Default false: such a URL is refused with `POLICY_DENIED`.
   */
  readonly allowInsecure?: boolean | undefined;
  /** Sent with the upgrade request, and to this server only. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Short for the header `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
  /** Signs the upgrade request of every new connection; its headers win over configured ones. */
  readonly auth?: AuthProvider | undefined;
  /** Sub-protocols to offer; the server has to choose one of them. Empty: none is offered. Default `['mcp']`. */
  readonly protocols?: readonly string[] | undefined;
  readonly network?: WebSocketNetworkOptions | undefined;
  /** What `start()` does on 429, and on 503 with `Retry-After`. */
  readonly retryLater?: RetryLaterOptions | undefined;
  /** Largest message that is accepted, in bytes after inflating; a larger one closes with 1009. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Offer compression. It costs memory and time for each message, and helps where the network is slow. Default false. */
  readonly perMessageDeflate?: boolean | undefined;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
  /** Told what a person should know about the URL, e.g. that it is not encrypted. */
  readonly logger?: Logger | undefined;
  /** Closes the transport when it is aborted; before `start()`, that rejects with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** How the server is reached: proxy, certificate authorities, client certificate, time-outs. */
export interface WebSocketNetworkOptions extends TlsOptions {
  /**
   * `'env'` (default): `HTTPS_PROXY` for `wss:`, `HTTP_PROXY` for `ws:`, `ALL_PROXY` and `NO_PROXY` in either case, and
   * never for loopback. `'none'`: direct. Else the URL of an `http:` or `https:` proxy, with user and password where
   * it wants them.
   */
  readonly proxy?: string | undefined;
  readonly timeouts?: WebSocketTimeouts | undefined;
  /** Where `proxy: 'env'` looks. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Milliseconds; 0 means never. */
export interface WebSocketTimeouts {
  /** Name resolution, TCP, proxy and TLS together. Default 10 000. */
  readonly connectMs?: number | undefined;
  /** From the upgrade request to its answer. Default 10 000. */
  readonly headersMs?: number | undefined;
}

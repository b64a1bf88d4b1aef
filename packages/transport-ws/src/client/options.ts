import { FittingsError } from '@mcp-fittings/client-core';
import type { RemoteOptions } from '@mcp-fittings/toolbox/refusal';
import type { TlsOptions } from '@mcp-fittings/toolbox/tls';
import type { WebSocketConnectionOptions } from '../socket/socket-options.js';

/** Options of a WebSocket transport. Only `url` is required; times are in milliseconds. */
export interface WebSocketTransportOptions
  extends
    WebSocketConnectionOptions,
    Pick<RemoteOptions, 'server' | 'apiKey' | 'auth' | 'logger' | 'signal'> {
  /**
   * URL of the server: `wss:` or `ws:`, without user name, password and fragment; or `unix:///path/to/server.sock#/mcp`, or
   * `pipe:///pipe/server#/mcp` on Windows, with the path of the endpoint as the fragment.
   */
  readonly url: string | URL;
  /**
   * If true, `ws:` to another machine is allowed, although anyone on the network path can read and change messages and credentials.
   * Default `false`, which refuses such a URL with `POLICY_DENIED`.
   */
  readonly allowInsecure?: boolean | undefined;
  /** Headers to send with the upgrade request, to this server only. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** WebSocket subprotocols to offer, one of which the server has to choose. An empty array offers none. Default `['mcp']`. */
  readonly protocols?: readonly string[] | undefined;
  /** Network options: proxy, certificate authorities, client certificate, time limits. */
  readonly network?:
    | (TlsOptions & {
        /**
         * Proxy to use. `'env'` (default): the one that `HTTPS_PROXY` (for `wss:`), `HTTP_PROXY` (for `ws:`), `ALL_PROXY` and `NO_PROXY`
         * set, in either case; none for loopback. `'none'`: a direct connection. Otherwise the URL of an `http:` or `https:` proxy, with
         * user name and password if it requires them.
         */
        readonly proxy?: string | undefined;
        /** Time limits of the connection, in milliseconds. 0 turns a limit off. */
        readonly timeouts?:
          | {
              /** Time for name resolution, TCP, proxy and TLS together. Default 10 000. */
              readonly connectMs?: number | undefined;
              /** Time from the upgrade request to its response. Default 10 000. */
              readonly headersMs?: number | undefined;
            }
          | undefined;
        /** Environment variables to read for `proxy: 'env'` and `NODE_EXTRA_CA_CERTS`. Default `process.env`. */
        readonly env?: Readonly<Record<string, string | undefined>> | undefined;
      })
    | undefined;
  /** Limits how often `start()` repeats the upgrade request after a 429, or a 503 with `Retry-After`. */
  readonly retryLater?: RemoteOptions['retryLater'];
  /** Largest message that is accepted, in bytes after decompression; a larger one ends the connection with the close code 1009. Default 67 108 864 (64 MiB). */
  readonly maxMessageBytes?: number | undefined;
  /** If true, offers compression, which costs memory and time for each message and helps on a slow network. Default `false`. */
  readonly perMessageDeflate?: boolean | undefined;
}

/** Headers that the handshake sets. */
export const RESERVED_HEADERS = ['sec-websocket-*'];

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/** Throws `CONFIG_INVALID` for an invalid or repeated subprotocol. */
export function checkProtocols(protocols: readonly string[], server: string | undefined): readonly string[] {
  const bad = protocols.find((name, index) => !TOKEN.test(name) || protocols.indexOf(name) !== index);
  if (bad === undefined) return protocols;
  throw new FittingsError(
    'CONFIG_INVALID',
    `The subprotocol ${JSON.stringify(bad)} is invalid or repeated.`,
    {
      server,
      hint: 'A name must not contain spaces or commas, and must occur once.',
    },
  );
}

import type { Clock } from '@mcp-fittings/client-core';
import type { HttpServerOptions } from '@mcp-fittings/toolbox/connect';
import type { TlsOptions } from '@mcp-fittings/toolbox/tls';

/** Default of `maxBodyBytes`. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Says how one server is reached. Only `url` is required; times are in milliseconds. */
export interface HttpClientOptions extends HttpServerOptions, TlsOptions {
  /** Time limits of a request, in milliseconds. 0 turns a limit off. */
  readonly timeouts?:
    | {
        /** Time for name resolution, TCP, proxy and TLS together. Default 10 000. */
        readonly connectMs?: number | undefined;
        /** Time from the request to the headers of the response. Default 0, because a tool may run for long; the host limits a call. */
        readonly headersMs?: number | undefined;
        /** Longest pause within a body. Default 0, because an event stream may be quiet. */
        readonly bodyIdleMs?: number | undefined;
      }
    | undefined;
  /** Largest decoded body in bytes. Event streams that the caller asked for are exempt, because their events are limited one by one. Default 67 108 864 (64 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Limits the sockets that are opened to the server. A burst of requests shares a few sockets, which is faster than one socket each. While
   * requests wait, the number doubles, so that long calls do not block short ones.
   */
  readonly sockets?:
    | {
        /** Requests in flight before further ones wait. Default 64, and up to 1024 while none completes for 50 ms. */
        readonly max?: number | undefined;
      }
    | undefined;
  /** Resolves with the IP addresses of a host name; rejects if there are none. Default: the resolver of the operating system. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
  /** Clock for all time limits. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

import type { Clock, Logger } from '@mcp-fittings/client-core/transport';
import type { TlsOptions } from '@mcp-fittings/remote-policy';

/** How one server is reached. Every member has a default; times are milliseconds. */
export interface NetworkOptions extends TlsOptions {
  /**
   * The server's own URL, as a person configured it. Its origin alone is sent the configured headers and the client
   * certificate, and is exempt from the address guard.
   */
  readonly url: string | URL;
  /** Name of the server, for error messages. */
  readonly server?: string | undefined;
  /**
   * Sent with every request to the configured origin, and to no other. Sign-in gets them too, where it reads from
   * that origin, but for `authorization`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * `'env'` (default): `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` in either case, and never for loopback.
   * `'none'`: direct. Else the URL of an `http:` or `https:` proxy, with user and password where it wants them.
   */
  readonly proxy?: string | undefined;
  readonly timeouts?: NetworkTimeouts | undefined;
  /** Largest decoded body in bytes. Default 64 MiB. Event streams that the caller asked for are exempt: their events are capped one by one. */
  readonly maxBodyBytes?: number | undefined;
  readonly sockets?: SocketPolicy | undefined;
  /**
   * Where a server may point us although the address guard would refuse it: IP addresses, CIDR ranges
   * (`10.0.0.0/8`), or host names.
   */
  readonly allowAddresses?: readonly string[] | undefined;
  /** Addresses of a host name. Default: the operating system's resolver. */
  readonly resolve?: HostResolver | undefined;
  /** Where `proxy: 'env'` looks. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
  /** Told of a URL that works and deserves a second look. */
  readonly logger?: Logger | undefined;
}

/** Milliseconds; 0 means never. */
export interface NetworkTimeouts {
  /** Name resolution, TCP, proxy and TLS together. Default 10 000. */
  readonly connectMs?: number | undefined;
  /** From the request to the first byte of the answer. Default 0: a tool may run for long, its deadline is the host's. */
  readonly headersMs?: number | undefined;
  /** Silence within a body. Default 0: a quiet event stream lives for ever. */
  readonly bodyIdleMs?: number | undefined;
}

/**
 * How many sockets a server is given. A burst is served by few sockets, which is faster than one for each request;
 * when nothing comes back for a while the number doubles, so that long calls never starve short ones.
 */
export interface SocketPolicy {
  /** Requests in flight at once before any has to wait. Default 16. */
  readonly initial?: number | undefined;
  /** Never more. Default: no bound. */
  readonly max?: number | undefined;
  /** How long a waiting request puts up with no progress, milliseconds. Default 50. */
  readonly patienceMs?: number | undefined;
}

export type HostResolver = (hostname: string) => Promise<readonly string[]>;

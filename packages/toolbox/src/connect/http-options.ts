import { FittingsError, type Logger } from '@mcp-fittings/client-core';
import { chooseProxy, type ProxyOptions } from './choose-proxy.js';
import { checkHeaders } from './headers.js';
import { bareHost } from './hosts.js';
import { ipFamily, parseAddressRanges, type AddressRanges } from './ip-addresses.js';
import { checkServerUrl, type CheckedUrl } from './server-url.js';

/** The server that HTTP requests go to, and the way there. Only `url` is required. */
export interface HttpServerOptions {
  /**
   * URL of the server as the user configured it. Only its origin gets the configured headers and the client certificate, and only
   * its host is exempt from the check for private addresses. `unix:///run/server.sock#/mcp` is the path `/mcp` of a server on a Unix
   * socket, `pipe:///pipe/server#/mcp` on a named pipe of Windows; no proxy is used for these.
   */
  readonly url: string | URL;
  /** Name of the server; errors have it as `server`. Default: none. */
  readonly server?: string | undefined;
  /**
   * Headers to send with every request to the configured origin, and to no other. Reads during sign-in from that origin get them
   * too, except `authorization`. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Proxy to use. `'env'` (default): the one that `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` set, in either case;
   * none for loopback. `'none'`: a direct connection. Otherwise the URL of an `http:` or `https:` proxy, with user name and
   * password if it requires them.
   */
  readonly proxy?: string | undefined;
  /**
   * Private IP addresses, CIDR ranges (`10.0.0.0/8`) or host names that a server may redirect sign-in to. Others fail with
   * `ADDRESS_BLOCKED`. Default: none.
   */
  readonly allowAddresses?: readonly string[] | undefined;
  /** Environment variables to read for `proxy: 'env'` and `NODE_EXTRA_CA_CERTS`. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Receives warnings about the URL, such as that it is not encrypted. Default: none. */
  readonly logger?: Logger | undefined;
}

/** Valid {@link HttpServerOptions}. */
export interface CheckedHttpServer extends Omit<CheckedUrl, 'warnings'> {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Source of the proxy; see `chooseProxy`. */
  readonly proxy: ProxyOptions;
  /** `allowAddresses`, parsed. */
  readonly allowed: AllowedAddresses;
}

/** Hosts in private networks that may be connected to. */
export interface AllowedAddresses {
  /** IP addresses and CIDR ranges. */
  readonly ranges: AddressRanges;
  /** Host names. */
  readonly hosts: ReadonlySet<string>;
}

/**
 * Checks how a server is reached, and warns of what is risky. A transport calls it when it is created and loads its HTTP client when
 * it starts. Throws `CONFIG_INVALID` or `HEADER_INVALID`.
 */
export function checkHttpOptions(options: HttpServerOptions): CheckedHttpServer {
  const { server, env = process.env } = options;
  const { warnings, ...checked } = checkServerUrl(options.url, { server, sockets: true });
  for (const warning of warnings) options.logger?.warn(warning, { server });
  const headers = checkHeaders(options.headers ?? {}, { server });
  const proxy = { proxy: options.proxy ?? 'env', env, server };
  // Only to report an invalid setting before anything is sent.
  chooseProxy(checked.url, proxy);
  return { ...checked, headers, proxy, allowed: parseAllowed(options.allowAddresses ?? [], server) };
}

const HOST_NAME = /^[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?\.?$/i;

function parseAllowed(entries: readonly string[], server: string | undefined): AllowedAddresses {
  const ranges: string[] = [];
  const hosts = new Set<string>();
  for (const entry of entries) {
    const text = bareHost(entry);
    if (entry.includes('/') || ipFamily(text) !== 0) ranges.push(text);
    else if (HOST_NAME.test(text)) hosts.add(text);
    else throw invalid(entry, server);
  }
  try {
    return { ranges: parseAddressRanges(ranges), hosts };
  } catch (cause) {
    throw invalid(cause instanceof Error ? cause.message : String(cause), server);
  }
}

function invalid(entry: string, server: string | undefined): FittingsError {
  return new FittingsError('CONFIG_INVALID', `\`allowAddresses\` has an invalid entry: ${entry}`, {
    server,
    hint: 'Write an IP address, a range such as 10.0.0.0/8, or a host name.',
  });
}

import { hostnameOf, isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import type { Exchange } from './exchange.js';
import { refuse } from './refusals.js';

/** Options of {@link createRequestGate}. */
export interface RequestGateOptions {
  /** Host names besides those of loopback, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may connect. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Creates the check of `Host` and `Origin`, the first for every request. It returns the refusal, or the answer to a CORS preflight request of an
 * allowed origin, and adds the headers with which a web page can read the response.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function createRequestGate(options: RequestGateOptions): (exchange: Exchange) => Response | undefined {
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  const hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  /** Most requests have the host of the one before. */
  let lastAllowed: string | undefined;
  return (exchange) => {
    const { header, method } = exchange;
    const host = header('host') ?? '';
    if (host !== lastAllowed && !hostIsAllowed(host, hosts)) {
      return refuse(403, 'The Host header is not allowed.');
    }
    lastAllowed = host;
    const origin = header('origin');
    if (origin === undefined || isOwnPage(origin, host)) return undefined;
    if (!origins.has(origin.toLowerCase()))
      return exchange.path.startsWith(PUBLIC) ? undefined : refuse(403, 'The Origin is not allowed.');
    const readable = { 'access-control-allow-origin': origin, vary: 'Origin' };
    if (method === 'OPTIONS' && header('access-control-request-method') !== undefined) {
      return preflight(header('access-control-request-headers') ?? '', readable);
    }
    exchange.add({ ...readable, 'access-control-expose-headers': EXPOSED });
    return undefined;
  };
}

function hostIsAllowed(host: string, allowed: ReadonlySet<string>): boolean {
  const hostname = hostnameOf(host);
  if (hostname === undefined) return false;
  return isLoopbackHost(hostname) || allowed.has(hostname) || allowed.has(host.toLowerCase());
}

/** Returns true if a page of the gateway itself sends the request. Unencrypted pages from elsewhere may be forged. */
function isOwnPage(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: ownHost, hostname } = new URL(origin);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname))) return false;
  return ownHost === new URL(`${protocol}//${host}`).host;
}

/** The metadata of RFC 9728, which pages of any origin may read: they say so themselves. */
const PUBLIC = '/.well-known/oauth-protected-resource';
const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Mcp-Protocol-Version, Retry-After';
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
  'dpop',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'traceparent',
  'tracestate',
];
/** Arguments of a tool that a client repeats in headers, see SEP-2243. CORS has no wildcard beside `Authorization`. */
const PARAMETER_HEADER = /^mcp-param-[!#$%&'*+.^_`|~\w-]{1,128}$/;
const TWO_HOURS_IN_SECONDS = '7200';

function preflight(requested: string, readable: Readonly<Record<string, string>>): Response {
  const parameters = requested
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => PARAMETER_HEADER.test(name));
  return new Response(null, {
    status: 204,
    headers: {
      ...readable,
      vary: 'Origin, Access-Control-Request-Headers',
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': [...REQUEST_HEADERS, ...parameters].join(', '),
      'access-control-max-age': TWO_HOURS_IN_SECONDS,
    },
  });
}

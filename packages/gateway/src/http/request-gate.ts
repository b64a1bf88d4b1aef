import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { refuse } from './refusals.js';

/** Options of {@link createRequestGate}. */
export interface RequestGateOptions {
  /** Host names besides those of loopback, with or without a port. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may connect. */
  readonly allowedOrigins: readonly string[];
}

/** What the gate decides: an answer, or the headers that let the web page read the answer. */
export type GateDecision =
  { readonly response: Response } | { readonly headers: Readonly<Record<string, string>> };

/**
 * Creates the check of `Host` and `Origin`, the first for every request. It answers CORS preflight requests of allowed origins.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function createRequestGate(options: RequestGateOptions): (request: Request) => GateDecision {
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));
  const hosts = new Set(options.allowedHosts.map((host) => host.toLowerCase()));
  return (request) => {
    const { headers } = request;
    const host = headers.get('host') ?? new URL(request.url).host;
    if (!hostIsAllowed(host, hosts)) {
      return { response: refuse(403, 'The Host header is not allowed.') };
    }
    const origin = headers.get('origin');
    if (origin === null || isOwnPage(origin, host)) return { headers: {} };
    if (!origins.has(origin.toLowerCase())) return { response: refuse(403, 'The Origin is not allowed.') };
    const readable = { 'access-control-allow-origin': origin, vary: 'Origin' };
    if (request.method === 'OPTIONS' && headers.has('access-control-request-method')) {
      return { response: preflight(headers, readable) };
    }
    return { headers: { ...readable, 'access-control-expose-headers': EXPOSED } };
  };
}

function hostIsAllowed(host: string, allowed: ReadonlySet<string>): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname, pathname, username, search, hash } = new URL(`http://${host}`);
  if (pathname !== '/' || username !== '' || search !== '' || hash !== '') return false;
  return isLoopbackHost(hostname) || allowed.has(hostname) || allowed.has(host.toLowerCase());
}

/** Whether a page of the gateway itself sends the request. Unencrypted pages from elsewhere may be forged. */
function isOwnPage(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: ownHost, hostname } = new URL(origin);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname))) return false;
  return ownHost === new URL(`${protocol}//${host}`).host;
}

const EXPOSED = 'Mcp-Session-Id, WWW-Authenticate, Mcp-Protocol-Version, Retry-After';
const METHODS = 'GET, POST, DELETE';
const REQUEST_HEADERS = [
  'accept',
  'authorization',
  'content-type',
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

function preflight(requested: Headers, readable: Readonly<Record<string, string>>): Response {
  const parameters = (requested.get('access-control-request-headers') ?? '')
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

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { HTTP_REFUSALS } from './error-responses.js';

export interface HttpGateOptions {
  /** Token that every request must send as `Authorization: Bearer …`. Undefined: none is required. */
  readonly token: string | undefined;
  /** Origins of web pages that may connect. Any other `Origin` is refused, even with the right token. */
  readonly allowedOrigins: readonly string[];
  /** Host names by which clients reach the bridge, besides the loopback names. */
  readonly allowedHosts: readonly string[];
}

/** Returns whether a request may pass. If not, it has sent the response. It reads only the headers. */
export type HttpGate = (request: IncomingMessage, response: ServerResponse) => boolean;

/** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning */
export function createHttpGate({ token, allowedOrigins, allowedHosts }: HttpGateOptions): HttpGate {
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const expected = token === undefined ? undefined : digest(token);

  const refuse = (response: ServerResponse, status: number, message: string): false => {
    const error = { jsonrpc: '2.0', id: null, error: { code: HTTP_REFUSALS.general, message } };
    response.writeHead(status, {
      'content-type': 'application/json',
      connection: 'close',
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    });
    response.end(JSON.stringify(error));
    return false;
  };

  return ({ headers }, response) => {
    if (!hostIsAllowed(headers.host, hosts)) return refuse(response, 403, 'The Host header is not allowed.');
    const { origin } = headers;
    if (origin !== undefined && !origins.has(origin.toLowerCase())) {
      return refuse(response, 403, 'The Origin is not allowed.');
    }
    const shown = /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1];
    if (expected !== undefined && (shown === undefined || !timingSafeEqual(digest(shown), expected))) {
      return refuse(response, 401, 'The token is missing or invalid.');
    }
    return true;
  };
}

function hostIsAllowed(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname, pathname, username } = new URL(`http://${host}`);
  if (pathname !== '/' || username !== '') return false;
  return isLoopbackHost(hostname) || allowed.has(hostname) || allowed.has(host.toLowerCase());
}

/** `timingSafeEqual` needs inputs of equal length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

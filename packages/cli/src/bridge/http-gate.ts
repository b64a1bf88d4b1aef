import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopbackHost } from '@mcp-fittings/remote-policy';
import { HTTP_REFUSALS } from './error-responses.js';

export interface HttpGateOptions {
  /** Every request has to show it as `Authorization: Bearer …`. Undefined: none is asked for. */
  readonly token: string | undefined;
  /** Origins of pages that may connect. A request with another one is refused, also with the right token. */
  readonly allowedOrigins: readonly string[];
  /** Names besides those of this machine's loopback under which the bridge is reached. */
  readonly allowedHosts: readonly string[];
}

/** True when a request may pass; else it has answered it. Nothing of the body was read. */
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

/** Of equal length, so that the time of a comparison says nothing of the secret. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

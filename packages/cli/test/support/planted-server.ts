import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { Identity } from '../../../http-client/test/support/certificates.js';

/** An HTTP server on loopback. */
export interface Planted extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  readonly port: number;
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A real MCP server, both eras. */
export function mcp(): Serve {
  const serve = toNodeHandler(createMcpHandler(() => new McpServer({ name: 'planted', version: '1' })));
  return (request, response) => void serve(request as Parameters<typeof serve>[0], response);
}

/** Listens on a free port; with an identity it speaks TLS. `/mcp` is the path of {@link Planted.url}. */
export async function plant(serve: Serve = mcp(), identity?: Identity): Promise<Planted> {
  const server: Server =
    identity === undefined ? createServer(serve) : createSecureServer({ ...identity }, serve);
  // A client may reject the certificate.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  return {
    origin,
    url: `${origin}/mcp`,
    port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Always the same answer. */
export const always =
  (status: number, body: string, headers: Record<string, string> = {}): Serve =>
  (request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  };

export const HTML: readonly [number, string, Record<string, string>] = [
  200,
  '<!doctype html><title>Welcome</title>',
  { 'content-type': 'text/html; charset=utf-8' },
];

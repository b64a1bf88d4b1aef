import { type Server, createServer } from 'node:http';
import { listenOnPrivateSocket } from '@mcp-fittings/toolbox/private-socket';
import type { Clock, Logger, Transport } from '@mcp-fittings/client-core';
import { startListening } from '@mcp-fittings/toolbox/private-socket';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createDedicatedConnection } from './dedicated-connection.js';
import { createHttpEndpoint } from './http-endpoint.js';
import { createHttpGate } from './http-gate.js';
import { type ListenAddress, checkExposure } from './listen-address.js';
import type { OpenUpstream } from './upstream.js';

/** Says what the bridge serves, and to which clients. */
export interface ServeNetworkOptions {
  readonly open: OpenUpstream;
  readonly address: ListenAddress;
  /** `http` is Streamable HTTP, `ws` is WebSocket. */
  readonly wire: 'http' | 'ws';
  /** Path of the endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Token that every client must send as `Authorization: Bearer …`. Required for a port, because other users can connect
   * to loopback.
   */
  readonly token?: string | undefined;
  /** Origins of web pages that may connect. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Host names by which clients reach the bridge, besides the loopback names. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Most clients at a time. Default: 100. */
  readonly maxClients?: number | undefined;
  /**
   * Time without traffic after which a session and its connection are closed, in milliseconds. Default: 30 minutes.
   */
  readonly idleMs?: number | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A bridge that clients connect to over the network. */
export interface NetworkBridge {
  readonly url: string;
  /** Closes the connections of all clients, and those to the server. */
  close(): Promise<void>;
}

const HALF_AN_HOUR = 1_800_000;
const MAX_CLIENTS = 100;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Listens for clients and gives each a connection to the server. Rejects with `CONFIG_INVALID` if other users could
 * connect, and with `CONNECT_FAILED` if it cannot listen.
 */
export async function serveNetwork(options: ServeNetworkOptions): Promise<NetworkBridge> {
  const { address, wire, path = '/mcp', token, allowedHosts = [] } = options;
  checkExposure(address, { token, allowedHosts });
  const server = createServer();
  const closeWire =
    wire === 'http' ? attachHttp(server, path, options) : attachWebSocket(server, path, options);
  let removeSocket = (): void => undefined;
  if ('socketPath' in address) removeSocket = await listenOnPrivateSocket(server, address.socketPath);
  else
    await startListening(
      server,
      address,
      () => `The bridge cannot listen on ${address.host}:${address.port}.`,
    );
  return {
    url: 'socketPath' in address ? `unix:${address.socketPath}` : urlOf(server, wire, path),
    async close() {
      removeSocket();
      server.close();
      await closeWire();
      server.closeAllConnections();
    },
  };
}

function attachHttp(server: Server, path: string, options: ServeNetworkOptions): () => Promise<void> {
  const { open, clock, logger, token, allowedOrigins = [], allowedHosts = [] } = options;
  const endpoint = createHttpEndpoint({
    open,
    clock,
    logger,
    maxSessions: options.maxClients ?? MAX_CLIENTS,
    idleMs: options.idleMs ?? HALF_AN_HOUR,
  });
  const admits = createHttpGate({ token, allowedOrigins, allowedHosts });
  const serve = toNodeHandler(endpoint, {
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: (error) => logger?.error(error.message),
  });
  server.on('request', (request, response) => {
    if (!admits(request, response)) return;
    if (request.url?.split('?')[0] !== path) return void response.writeHead(404).end();
    // The SDK's types do not allow the `undefined` that exactOptionalPropertyTypes requires.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    void serve(request as Parameters<typeof serve>[0], response);
  });
  return () => endpoint.close();
}

function attachWebSocket(server: Server, path: string, options: ServeNetworkOptions): () => Promise<void> {
  const { open, clock, logger, token, allowedOrigins = [], allowedHosts = [] } = options;
  const closing = new Set<Promise<void>>();
  server.on('request', (_request, response) => void response.writeHead(426, { upgrade: 'websocket' }).end());
  const sockets = createWebSocketServer({
    server,
    path,
    token,
    allowedOrigins,
    ...(allowedHosts.length > 0 && { allowedHosts: [...allowedHosts, 'localhost', '127.0.0.1', '[::1]'] }),
    maxConnections: options.maxClients ?? MAX_CLIENTS,
    clock,
    logger,
    async onConnection(client: Transport) {
      const connection = createDedicatedConnection({
        open,
        logger,
        client: { send: (message) => client.send(message) },
      });
      client.onmessage = (message) => connection.receive(message);
      client.onclose = () => {
        const closed = connection.close().finally(() => closing.delete(closed));
        closing.add(closed);
      };
      await client.start();
    },
  });
  return async () => {
    await sockets.close();
    await Promise.all(closing);
  };
}

function urlOf(server: Server, wire: 'http' | 'ws', path: string): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return '';
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${wire}://${host}:${bound.port}${path}`;
}

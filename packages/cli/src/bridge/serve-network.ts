import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  classifySystemError,
  FittingsError,
  type Clock,
  type Logger,
  type Transport,
} from '@mcp-fittings/client-core';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createHttpEndpoint } from './http-endpoint.js';
import { createHttpGate } from './http-gate.js';
import { joinUpstream } from './join-upstream.js';
import { checkExposure, type ListenAddress } from './listen-address.js';
import type { OpenUpstream } from './upstream.js';

/** Who is served, and what the clients may do. */
export interface ServeNetworkOptions {
  readonly open: OpenUpstream;
  readonly address: ListenAddress;
  /** `http`: Streamable HTTP. `ws`: WebSocket. */
  readonly wire: 'http' | 'ws';
  /** Path of the endpoint. Default `/mcp`. */
  readonly path?: string | undefined;
  /** Secret that every client sends as `Authorization: Bearer …`. Required for a port: other users can connect to loopback too. */
  readonly token?: string | undefined;
  /** Origins of web pages that may connect. Default none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Names besides those of this machine's loopback under which the bridge is reached. Default none. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Clients at a time; more are refused. Default 100. */
  readonly maxClients?: number | undefined;
  /** A session without any traffic is ended after so many milliseconds, and its connection too. Default 30 minutes. */
  readonly idleMs?: number | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A bridge that clients connect to. */
export interface NetworkBridge {
  readonly url: string;
  /** Ends every client's connection, and the servers behind them. */
  close(): Promise<void>;
}

const HALF_AN_HOUR = 1_800_000;
const MAX_CLIENTS = 100;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Listens for clients, each of which gets a connection to the server. Rejects with `CONFIG_INVALID` when it would serve
 * strangers, and with `CONNECT_FAILED` when the port can't be had.
 */
export async function serveNetwork(options: ServeNetworkOptions): Promise<NetworkBridge> {
  const { address, wire, path = '/mcp', token, allowedHosts = [] } = options;
  checkExposure(address, { token, allowedHosts });
  const server = createServer();
  const closeWire =
    wire === 'http' ? attachHttp(server, path, options) : attachWebSocket(server, path, options);
  await ('socketPath' in address ? listenOnSocket(server, address.socketPath) : listen(server, address));
  return {
    url: urlOf(server, wire, path),
    async close() {
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
    // The SDK's own idea of Node's types lacks the undefined that exactOptionalPropertyTypes wants.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    void serve(request as Parameters<typeof serve>[0], response);
  });
  return () => endpoint.close();
}

function attachWebSocket(server: Server, path: string, options: ServeNetworkOptions): () => Promise<void> {
  const { open, clock, logger, token, allowedOrigins = [], allowedHosts = [] } = options;
  const leaving = new Set<Promise<void>>();
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
      const joined = joinUpstream({ open, logger, client: { send: (message) => client.send(message) } });
      client.onmessage = (message) => joined.receive(message);
      client.onclose = () => {
        const left = joined.leave().finally(() => leaving.delete(left));
        leaving.add(left);
      };
      await client.start();
    },
  });
  return async () => {
    await sockets.close();
    await Promise.all(leaving);
  };
}

async function listen(server: Server, { host, port }: TcpAddress): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const inUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    throw new FittingsError(
      classifySystemError(cause) ?? 'CONNECT_FAILED',
      inUse ? `Port ${port} is already in use.` : `The bridge cannot listen on ${host}:${port}.`,
      { cause, hint: 'Choose another port; 0 picks a free one.' },
    );
  }
}

type TcpAddress = Exclude<ListenAddress, { readonly socketPath: string }>;

/**
 * The socket is created with mode 0600: `listen` creates it before it returns, so that no other user can connect in
 * between.
 */
async function listenOnSocket(server: Server, socketPath: string): Promise<void> {
  const before = process.umask(0o177);
  try {
    server.listen(socketPath);
  } finally {
    process.umask(before);
  }
  try {
    await once(server, 'listening');
  } catch (cause) {
    const inUse = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    throw new FittingsError(
      classifySystemError(cause) ?? 'CONNECT_FAILED',
      inUse ? `The file ${socketPath} already exists.` : `The bridge cannot create the socket ${socketPath}.`,
      {
        cause,
        hint: inUse ? 'Delete it if no bridge uses it, or choose another path.' : 'Choose another path.',
      },
    );
  }
}

function urlOf(server: Server, wire: 'http' | 'ws', path: string): string {
  const bound = server.address();
  if (bound === null) return '';
  if (typeof bound === 'string') return `unix:${bound}`;
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `${wire}://${host}:${bound.port}${path}`;
}

import { type Server, createServer } from 'node:http';
import type { Clock, Logger, Transport } from '@mcp-fittings/client-core';
import { listenOnPrivateSocket, startListening } from '@mcp-fittings/toolbox/private-socket';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { BridgedClient } from './bridged-client.js';
import { type ListenAddress, checkHostNames, socketUrl } from './listen-address.js';
import type { OpenUpstream } from './upstream.js';

/** Says what the bridge serves, and to which clients. */
export interface ServeWebSocketOptions {
  readonly open: OpenUpstream;
  readonly address: ListenAddress;
  /** Token that every client must send as `Authorization: Bearer …`. */
  readonly token: string;
  /** Origins of web pages that may connect. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Host names by which clients reach the bridge, besides the loopback names. Default: none. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** A bridge that clients connect to over WebSocket. */
export interface WebSocketBridge {
  readonly url: string;
  /** Closes the connections of all clients, and those to the server. */
  close(): Promise<void>;
}

/**
 * Listens for clients and gives each a connection to the server. Rejects with `CONFIG_INVALID` if other users could
 * connect, and with `CONNECT_FAILED` if it cannot listen.
 */
export async function serveWebSocket(options: ServeWebSocketOptions): Promise<WebSocketBridge> {
  const { open, address, token, allowedOrigins = [], allowedHosts = [], clock, logger } = options;
  checkHostNames(address, allowedHosts);
  const closing = new Set<Promise<void>>();
  const server = createServer((_request, response) => {
    response.writeHead(426, { upgrade: 'websocket' }).end();
  });
  const sockets = createWebSocketServer({
    server,
    path: PATH,
    token,
    allowedOrigins,
    ...(allowedHosts.length > 0 && { allowedHosts: [...allowedHosts, 'localhost', '127.0.0.1', '[::1]'] }),
    clock,
    logger,
    async onConnection(client: Transport) {
      const bridged = new BridgedClient({ open, logger, send: (message) => client.send(message) });
      client.onmessage = (message) => bridged.receive(message);
      client.onclose = () => {
        const closed = bridged.close().finally(() => closing.delete(closed));
        closing.add(closed);
      };
      await client.start();
    },
  });
  let removeSocket = (): void => undefined;
  if ('socketPath' in address) removeSocket = await listenOnPrivateSocket(server, address.socketPath);
  else {
    const { host, port } = address;
    await startListening(server, address, () => `The bridge cannot listen on ${host}:${port}.`);
  }
  return {
    url: 'socketPath' in address ? socketUrl(address.socketPath, PATH) : urlOf(server.address()),
    async close() {
      removeSocket();
      server.close();
      await sockets.close();
      await Promise.all(closing);
      server.closeAllConnections();
    },
  };
}

const PATH = '/mcp';

function urlOf(bound: ReturnType<Server['address']>): string {
  if (bound === null || typeof bound === 'string') return '';
  return `ws://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}${PATH}`;
}

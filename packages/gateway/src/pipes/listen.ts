import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { isLoopbackHost } from '@mcp-fittings/toolbox/connect';
import { listenOnPrivateSocket, startListening } from '@mcp-fittings/toolbox/private-socket';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import type { Gateway, GatewayListener } from '../contracts/gateway.js';

type ListenAddress = Parameters<Gateway['listen']>[0];

/** Options of {@link listen}. */
export interface ListenOptions {
  readonly listener: (request: IncomingMessage, response: ServerResponse) => void;
  readonly basePath: string;
  readonly closeTimeoutMs: number;
  readonly clock: Clock;
}

/** Listens with `node:http` on a port, a Unix socket or a named pipe. Which callers may connect is checked before. */
export async function listen(address: ListenAddress, options: ListenOptions): Promise<GatewayListener> {
  const { listener, basePath, closeTimeoutMs, clock } = options;
  let closing: Promise<void> | undefined;
  /** Number of requests in flight of each connection. Node.js does not regard a connection without any request as idle. */
  const connections = new Map<Socket, number>();
  const count = (socket: Socket, change: number): void => {
    const requests = (connections.get(socket) ?? 0) + change;
    if (connections.has(socket)) connections.set(socket, requests);
    // While the server closes, a connection ends with its last response.
    if (closing !== undefined && requests === 0) socket.destroySoon();
  };
  const server = createServer((request, response) => {
    const { socket } = request;
    count(socket, 1);
    response.once('close', () => count(socket, -1));
    listener(request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('connection', (socket) => {
    connections.set(socket, 0);
    socket.once('close', () => connections.delete(socket));
  });
  let removeSocket = (): void => undefined;
  if ('port' in address) {
    const { host = DEFAULT_HOST, port } = address;
    await startListening(server, { host, port }, () => `The gateway cannot listen on ${host}:${port}.`);
  } else {
    removeSocket = await listenOnPrivateSocket(server, address.socketPath);
  }
  const bound = server.address();
  const end = async (): Promise<void> => {
    removeSocket();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const [socket, requests] of connections) if (requests === 0) socket.destroy();
    if (!(await settlesWithin(closeTimeoutMs, closed, clock))) server.closeAllConnections();
    await closed;
  };
  const close = (): Promise<void> => (closing ??= end());
  return {
    address:
      bound !== null && typeof bound === 'object'
        ? { host: bound.address, port: bound.port }
        : { socketPath: 'socketPath' in address ? address.socketPath : '' },
    url:
      bound !== null && typeof bound === 'object'
        ? `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}${basePath}`
        : `http://localhost${basePath}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const DEFAULT_HOST = '127.0.0.1';
/** Longer than load balancers keep an idle connection (60 s), which would else send a request over one that ends. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Throws `CONFIG_INVALID` if another user could use the gateway with this user's credentials: every user of the machine can connect to a
 * loopback port, so a port always needs `access`. Beyond loopback, the host names of the gateway are needed too, which keeps web pages out.
 */
export function checkExposure(
  address: ListenAddress,
  options: { readonly hasAccess: boolean; readonly allowedHosts: readonly string[] },
): void {
  if (!('port' in address)) return;
  const { host = DEFAULT_HOST } = address;
  if (!options.hasAccess) {
    throw new FittingsError(
      'CONFIG_INVALID',
      `Listening on ${host} requires \`access\`: every user of the machine could use the gateway.`,
      { hint: 'Set `access`, for example bearerToken(…), or listen on a socket: { socketPath }.' },
    );
  }
  if (isLoopbackHost(host) || options.allowedHosts.length > 0) return;
  throw new FittingsError(
    'CONFIG_INVALID',
    `Listening on ${host} requires the host names that clients use.`,
    { hint: "Set `allowedHosts`, for example ['mcp.example.com']." },
  );
}

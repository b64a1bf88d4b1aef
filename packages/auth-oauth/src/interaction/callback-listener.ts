import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FittingsError } from '@mcp-fittings/client-core';
import type { InteractionOptions } from './interaction.js';
import type { LoopbackHost } from './redirect-uri.js';

/** A listener on the loopback interface, on one address or, for `localhost`, on both. */
export interface CallbackListener {
  readonly port: number;
  /** Calls `handle` for each request. If it throws, only that request is ended. */
  serve(handle: (incoming: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** Number of free ports that are tried. */
const ATTEMPTS = 5;

/** Starts to listen. Rejects with `AUTH_FAILED` if the port is in use, on one of the addresses if there are two. */
export async function startCallbackListener(
  request: InteractionOptions,
  host: LoopbackHost,
): Promise<CallbackListener> {
  const { callbackPort, preferredPort, server: name } = request;
  const ports =
    callbackPort === undefined
      ? [...(preferredPort ? [preferredPort] : []), ...Array.from({ length: ATTEMPTS }, () => 0)]
      : [callbackPort];
  let failure: unknown;
  for (const port of ports) {
    try {
      return listenerOf(await open(host, port));
    } catch (error) {
      failure = error;
    }
  }
  throw new FittingsError(
    'AUTH_FAILED',
    `Could not listen on ${host} for the callback of the sign-in to "${name}".`,
    {
      server: name,
      cause: failure,
      hint:
        callbackPort === undefined
          ? `Check whether a firewall or sandbox forbids programs to listen on ${host}.`
          : `Another program may be using port ${callbackPort}. Stop it, or register another redirect URI.`,
    },
  );
}

/** A browser may use either address of `localhost`: another program on the second one would receive the code. */
async function open(host: LoopbackHost, port: number): Promise<readonly Server[]> {
  if (host === '[::1]') return [await openOne('::1', port)];
  const first = await openOne('127.0.0.1', port);
  if (host === '127.0.0.1') return [first];
  try {
    return [first, await openOne('::1', portOf(first))];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // IPv6 is not available.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [first];
    first.close();
    throw error;
  }
}

async function openOne(address: string, port: number): Promise<Server> {
  const server = createServer({
    requestTimeout: 10_000,
    headersTimeout: 10_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16_384,
  });
  server.listen({ host: address, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

function listenerOf(servers: readonly Server[]): CallbackListener {
  for (const server of servers) {
    makeRoom(server);
    // A faulty connection ends alone: an error event without a listener would end the program.
    server.on('error', () => undefined);
    server.on('connection', (socket) => socket.on('error', () => undefined));
    server.on('connect', refuse);
    server.on('upgrade', refuse);
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const status =
        error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      endWith(socket, status);
    });
  }
  return {
    port: portOf(servers[0]),
    serve(handle) {
      for (const server of servers) {
        server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
          response.on('error', () => undefined);
          try {
            handle(incoming, response);
          } catch {
            response.destroy();
          }
        });
      }
    },
    async close() {
      await Promise.all(
        servers.map(async (server) => {
          const closed = once(server, 'close');
          server.close();
          server.closeAllConnections();
          await closed;
        }),
      );
    },
  };
}

/** This many connections may wait to send a request. */
const MAX_WAITING = 200;

/**
 * Ends the oldest connection that has not sent its request when there are too many, so that they cannot keep the browser out: it
 * sends its request at once.
 */
function makeRoom(server: Server): void {
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = waiting;
    if (waiting.size >= MAX_WAITING && oldest !== undefined) {
      waiting.delete(oldest);
      oldest.destroy();
    }
    waiting.add(socket);
    socket.once('close', () => waiting.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => waiting.delete(socket));
}

function refuse(_request: IncomingMessage, socket: Duplex): void {
  endWith(socket, '405 Method Not Allowed');
}

/** The server has handed the socket over, and would otherwise wait for the peer to close it. */
function endWith(socket: Duplex, status: string): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

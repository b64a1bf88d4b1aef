import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FittingsError } from '@mcp-fittings/client-core';
import type { InteractionOptions } from './interaction.js';
import type { LoopbackHost } from './redirect-uri.js';

/** A port of the loopback interface, at one address or, for `localhost`, at both. */
export interface CallbackListener {
  readonly port: number;
  /** What `handle` throws ends the one request, and nothing else. */
  serve(handle: (incoming: IncomingMessage, response: ServerResponse) => void): void;
  close(): Promise<void>;
}

/** So many free ports are tried before it is said that there is none. */
const ATTEMPTS = 5;

/** Rejects with `AUTH_FAILED` when the port is taken, at one of the addresses where there are two. */
export async function listen(request: InteractionOptions, host: LoopbackHost): Promise<CallbackListener> {
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
  throw new FittingsError('AUTH_FAILED', `No port of this machine is free for the sign-in to "${name}".`, {
    server: name,
    cause: failure,
    hint:
      callbackPort === undefined
        ? `Check whether something forbids to listen on ${host}.`
        : `Something else listens on port ${callbackPort}: end it, or register another port.`,
  });
}

/** A browser takes either address for `localhost`: another program on the second one would get the answer. */
async function open(host: LoopbackHost, port: number): Promise<readonly Server[]> {
  if (host === '[::1]') return [await openOne('::1', port)];
  const first = await openOne('127.0.0.1', port);
  if (host === '127.0.0.1') return [first];
  try {
    return [first, await openOne('::1', portOf(first))];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // This machine has no IPv6.
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [first];
    first.close();
    throw error;
  }
}

async function openOne(address: string, port: number): Promise<Server> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16_384 });
  server.listen({ host: address, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

function listenerOf(servers: readonly Server[]): CallbackListener {
  for (const server of servers) {
    server.maxConnections = 100;
    // What nobody here wants ends its own connection: an event without a listener would end the program.
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

function refuse(_request: IncomingMessage, socket: Duplex): void {
  endWith(socket, '405 Method Not Allowed');
}

/** The server does not know this socket any more, and would wait for its peer to close it. */
function endWith(socket: Duplex, status: string): void {
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Every request that came, with its body. */
  readonly seen: readonly SeenRequest[];
  /** Connections made so far. */
  readonly connections: number;
  /** Sockets that are open now. */
  readonly sockets: ReadonlySet<Socket>;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Responder = (request: SeenRequest, response: ServerResponse) => void;

/** A server on loopback that hands over each request when its body is complete. */
export async function startHttp(respond: Responder, place?: Place): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  return listen(createServer(collector(seen, respond)), 'http', seen, place);
}

export async function startHttps(tls: ServerOptions, respond: Responder, place?: Place): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  return listen(createTlsServer(tls, collector(seen, respond)), 'https', seen, place);
}

/** Default: 127.0.0.1 and any free port. */
interface Place {
  readonly host?: string;
  readonly port?: number;
}

/** Speaks whatever bytes `talk` writes: for what no HTTP server would do. */
export async function startTcp(talk: (socket: Socket) => void): Promise<TestServer> {
  return listen(createTcpServer(talk), 'http', []);
}

/** Settles when the socket is closed, also by an error. */
export function closeOf(socket: Socket | undefined): Promise<void> {
  return socket === undefined || socket.closed
    ? Promise.resolve()
    : new Promise((resolve) => socket.once('close', () => resolve()));
}

function collector(seen: SeenRequest[], respond: Responder): RequestListener {
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const complete = { method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() };
      seen.push(complete);
      respond(complete, response);
    });
  };
}

async function listen(
  server: Server | TcpServer,
  scheme: string,
  seen: SeenRequest[],
  { host = '127.0.0.1', port: wanted = 0 }: Place = {},
): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    seen,
    sockets,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

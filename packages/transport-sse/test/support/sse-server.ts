import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** One event stream, from the side of the server. */
export interface ServerStream {
  /** Puts text on the wire as it is. */
  write(text: string): void;
  event(name: string, data: string): void;
  message(value: unknown): void;
  /** Ends the stream properly. */
  end(): void;
  /** Cuts the connection. */
  cut(): void;
  /** Settles when the client is gone. */
  readonly closed: Promise<void>;
}

export interface SseServer extends AsyncDisposable {
  readonly origin: string;
  readonly url: string;
  readonly seen: readonly Seen[];
  readonly streams: readonly ServerStream[];
  /** Settles when there are so many streams. */
  stream(index: number): Promise<ServerStream>;
}

export interface SseBehavior {
  /** Answers a GET itself; true: it did. */
  readonly onGet?: (request: Seen, response: ServerResponse) => boolean;
  /** A new stream; it has to name the endpoint. Default: does so. */
  readonly onStream?: (stream: ServerStream, server: SseServer) => void;
  /** A message; has to end the response. Default: 202. */
  readonly onPost?: (request: Seen, response: ServerResponse, stream: ServerStream | undefined) => void;
}

/** A server for HTTP+SSE whose every move a test decides. */
export async function startSseServer(behavior: SseBehavior = {}): Promise<SseServer> {
  const seen: Seen[] = [];
  const streams: ServerStream[] = [];
  const byId = new Map<string, ServerStream>();
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();

  const openStream = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    const id = randomUUID();
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
    const stream: ServerStream = {
      write: (text) => void response.write(text),
      event: (name, data) => void response.write(`event: ${name}\ndata: ${data}\n\n`),
      message: (value) => void response.write(`event: message\ndata: ${JSON.stringify(value)}\n\n`),
      end: () => void response.end(),
      cut: () => void response.socket?.destroy(),
      closed,
    };
    streams.push(stream);
    byId.set(id, stream);
    if (behavior.onStream === undefined) stream.event('endpoint', `/messages?session=${id}`);
    else behavior.onStream(stream, server);
    for (const look of waiting) look();
  };

  const http = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(parts).toString() };
      seen.push(request);
      if (method === 'GET') {
        if (behavior.onGet?.(request, response) !== true) openStream(response);
        return;
      }
      const id = new URL(url, 'http://x').searchParams.get('session');
      const stream = byId.get(id ?? '') ?? streams.at(-1);
      if (behavior.onPost === undefined) response.writeHead(202).end('Accepted');
      else behavior.onPost(request, response, stream);
    });
  });
  http.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${String((http.address() as AddressInfo).port)}`;
  const server: SseServer = {
    origin,
    url: `${origin}/sse`,
    seen,
    streams,
    stream: (index) =>
      new Promise((resolve) => {
        const look = (): void => {
          const stream = streams[index];
          if (stream === undefined) return;
          waiting.delete(look);
          resolve(stream);
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      const closed = once(http, 'close');
      http.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return server;
}

/** Answers every request by its echo on the stream, as a server would. */
export const echoing: Required<Pick<SseBehavior, 'onPost'>> = {
  onPost(request, response, stream) {
    response.writeHead(202).end('Accepted');
    const message = JSON.parse(request.body) as { id?: number; params?: unknown };
    if (message.id !== undefined)
      stream?.message({ jsonrpc: '2.0', id: message.id, result: { echo: message.params } });
  },
};

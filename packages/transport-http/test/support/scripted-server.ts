import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One HTTP request that came in, and the means to answer it in any way, also a wrong one. */
export interface Exchange {
  readonly verb: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  /** The JSON body; an empty object without a body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the client sent
  readonly message: any;
  /** Milliseconds of `performance.now()` when it arrived. */
  readonly at: number;
  readonly response: ServerResponse;
  /** Settles when the connection of this exchange has ended. */
  readonly ended: Promise<void>;
  readonly isOpen: boolean;
  json(body: unknown, status?: number, headers?: Record<string, string>): void;
  /** The JSON-RPC result of this request, as JSON. */
  result(result: unknown, headers?: Record<string, string>): void;
  rpcError(code: number, message: string, status?: number, id?: unknown): void;
  plain(status: number, text?: string, headers?: Record<string, string>): void;
  sse(headers?: Record<string, string>): SseWriter;
  /** Ends the connection without an answer. */
  drop(): void;
}

export interface SseWriter {
  event(fields: { id?: string; event?: string; data?: unknown; retry?: number }): SseWriter;
  raw(text: string): SseWriter;
  /** The JSON-RPC result of this exchange's request, as an event. */
  result(result: unknown, id?: string): SseWriter;
  end(): void;
  drop(): void;
}

export type Script = (exchange: Exchange) => void | Promise<void>;

/**
 * What to do, by JSON-RPC method for POST and by verb for the rest; `response` for responses of the client, the path for
 * a POST that is not JSON.
 */
export type Scripts = Readonly<Record<string, Script>>;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly port: number;
  readonly received: readonly Exchange[];
  readonly sockets: ReadonlySet<Socket>;
  /** Replaces or adds scripts from now on. */
  script(scripts: Scripts): void;
  /** Those of one JSON-RPC method or verb. */
  of(kind: string): readonly Exchange[];
  /** Settles when so many of that kind have come. */
  until(kind: string, count?: number): Promise<Exchange>;
  /** Drops every connection and stops to listen. */
  stop(): Promise<void>;
  /** Listens again at the same port. */
  restart(): Promise<void>;
}

export interface ScriptedServerOptions {
  /** Session id of the default answer to `initialize`. */
  readonly session?: string;
  readonly protocolVersion?: string;
  readonly on?: Scripts;
}

export const REVISION = '2025-11-25';

/** A Streamable HTTP server that does what a test says, and otherwise what a simple right one would do. */
export async function scriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const { session, protocolVersion = REVISION } = options;
  const received: Exchange[] = [];
  const sockets = new Set<Socket>();
  const events = new EventEmitter();
  events.setMaxListeners(0);

  let scripts: Scripts = {
    initialize: (exchange) =>
      exchange.result(
        { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } },
        session === undefined ? {} : { 'mcp-session-id': session },
      ),
    GET: (exchange) => exchange.plain(405),
    DELETE: (exchange) => exchange.plain(200),
    notification: (exchange) => exchange.plain(202),
    response: (exchange) => exchange.plain(202),
    request: (exchange) => exchange.result({}),
    ...options.on,
  };

  const scriptFor = (exchange: Exchange): Script => {
    const kind = kindOf(exchange);
    const general =
      exchange.message?.method === undefined
        ? 'response'
        : 'id' in exchange.message
          ? 'request'
          : 'notification';
    const script = scripts[kind] ?? scripts[general];
    if (script === undefined) throw new Error(`no script for ${kind}`);
    return script;
  };

  const server = createServer((request, response) => {
    void (async () => {
      const text = await textOf(request);
      const exchange = makeExchange(request, response, text);
      received.push(exchange);
      events.emit('received');
      await scriptFor(exchange)(exchange);
    })().catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const of = (kind: string): Exchange[] => received.filter((exchange) => kindOf(exchange) === kind);

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    sockets,
    script: (more) => {
      scripts = { ...scripts, ...more };
    },
    of,
    async until(kind, count = 1) {
      for (;;) {
        const found = of(kind)[count - 1];
        if (found !== undefined) return found;
        await once(events, 'received');
      }
    },
    stop,
    async restart() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    [Symbol.asyncDispose]: stop,
  };
}

function kindOf(exchange: Exchange): string {
  if (exchange.verb !== 'POST') return exchange.verb;
  if (exchange.headers['content-type']?.includes('json') !== true) return exchange.path;
  return typeof exchange.message?.method === 'string' ? exchange.message.method : 'response';
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function makeExchange(request: IncomingMessage, response: ServerResponse, text: string): Exchange {
  const isJson = request.headers['content-type']?.includes('json') === true;
  const message = isJson ? JSON.parse(text) : {};
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  const plain = (status: number, body = '', headers: Record<string, string> = {}): void => {
    response.writeHead(status, headers).end(body);
  };
  const json = (body: unknown, status = 200, headers: Record<string, string> = {}): void =>
    plain(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });

  return {
    verb: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    text,
    message,
    at: performance.now(),
    response,
    ended,
    get isOpen() {
      return !response.writableEnded && !response.destroyed;
    },
    plain,
    json,
    result: (result, headers) => json({ jsonrpc: '2.0', id: message.id, result }, 200, headers),
    rpcError: (code, errorMessage, status = 200, id = message.id) =>
      json({ jsonrpc: '2.0', id, error: { code, message: errorMessage } }, status),
    sse(headers = {}) {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache',
        ...headers,
      });
      response.flushHeaders();
      const writer: SseWriter = {
        event({ id, event, data, retry }) {
          const lines: string[] = [];
          if (event !== undefined) lines.push(`event: ${event}`);
          if (id !== undefined) lines.push(`id: ${id}`);
          if (retry !== undefined) lines.push(`retry: ${retry}`);
          if (data !== undefined)
            lines.push(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}`);
          return writer.raw(`${lines.join('\n')}\n\n`);
        },
        raw(chunk) {
          response.write(chunk);
          return writer;
        },
        result: (result, id) =>
          writer.event({ ...(id !== undefined && { id }), data: { jsonrpc: '2.0', id: message.id, result } }),
        end: () => void response.end(),
        // What was written before has to be on the wire first.
        drop: () => void response.write('\n', () => setImmediate(() => response.destroy())),
      };
      return writer;
    },
    drop: () => void response.destroy(),
  };
}

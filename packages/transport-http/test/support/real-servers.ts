import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  createMcpHandler,
  McpServer as McpServerV2,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  StreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { FastMCP } from 'fastmcp';
import { z } from 'zod';
import { freePort } from '../../../../scripts/free-port.mjs';

export interface RealServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it abruptly and starts it again at the same port, with no memory of sessions. */
  restart(): Promise<void>;
  /** The first argument of each `add` that it carried out, over all its lives. */
  readonly added?: readonly number[];
  /** Ends the connections of the calls that are under way, as a proxy does now and then. */
  dropCalls?(): void;
}

/** What the servers below offer, in the words of each of their libraries. */
const TEXT = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface SdkServerOptions {
  /** Answer with JSON instead of event streams. */
  readonly json?: boolean;
  /** Keep events, so that streams can be resumed. */
  readonly resumable?: boolean;
}

/** Sessions of `StreamableHTTPServerTransport` of SDK v1, as its documentation wires them. */
export async function sdkV1Server(options: SdkServerOptions = {}): Promise<RealServer> {
  let sessions = new Map<string, StreamableHTTPServerTransport>();
  const added: number[] = [];
  const serve: RequestListener = (request, response) => {
    void (async () => {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (known !== undefined) return known.handleRequest(request, response);
      if (id !== undefined) {
        const error = { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null };
        response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(error));
        return;
      }
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: options.json ?? false,
        onsessioninitialized: (given) => void sessions.set(given, transport),
        ...(options.resumable === true && { eventStore: memoryEventStore(), retryInterval: 50 }),
      });
      const server = new McpServer({ name: 'sdk-v1', version: '1' }, { capabilities: { logging: {} } });
      server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => {
        added.push(a);
        return TEXT(String(a + b));
      });
      server.registerTool(
        'slow',
        { inputSchema: { ms: z.number() } },
        async ({ ms }, { sendNotification, _meta }) => {
          const progressToken = _meta?.progressToken;
          for (let progress = 1; progress <= 3; progress++) {
            await wait(ms / 3);
            if (progressToken === undefined) continue;
            const params = { progressToken, progress, total: 3 };
            await sendNotification({ method: 'notifications/progress', params });
          }
          return TEXT('done');
        },
      );
      server.registerTool('announce', {}, async () => {
        await server.sendLoggingMessage({ level: 'info', data: 'unasked' });
        return TEXT('announced');
      });
      await server.connect(transport);
      await transport.handleRequest(request, response);
    })().catch(() => response.destroy());
  };
  const server = await listen(serve);
  return {
    ...server,
    added,
    async restart() {
      sessions = new Map();
      await server.restart();
    },
  };
}

/** `createMcpHandler` of SDK v2: the revision 2026-07-28, and the older ones without sessions. */
export async function sdkV2Server(
  options: { readonly legacy?: 'stateless' | 'reject'; readonly responseMode?: 'auto' | 'sse' | 'json' } = {},
): Promise<RealServer & { readonly handler: ReturnType<typeof createMcpHandler> }> {
  const added: number[] = [];
  const make = ({ era }: McpRequestContext): McpServerV2 => {
    const server = new McpServerV2(
      { name: `sdk-v2 ${era}`, version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => {
      added.push(a);
      return TEXT(String(a + b));
    });
    server.registerResource('memo', 'memo:///gr%C3%B6%C3%9Fe', {}, (uri) => ({
      contents: [{ uri: uri.href, text: 'a name beyond ASCII' }],
    }));
    server.registerTool('slow', { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }, { mcpReq }) => {
      await wait(ms);
      return TEXT(mcpReq.signal.aborted ? 'aborted' : 'done');
    });
    return server;
  };
  const handler = createMcpHandler(make, options);
  // Its own idea of a Node request is stricter than Node's under exactOptionalPropertyTypes.
  const serve = toNodeHandler(handler) as unknown as (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
  const server = await listen((request, response) => void serve(request, response));
  return {
    ...server,
    added,
    handler,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const nothing = (): void => undefined;
const QUIET = { debug: nothing, error: nothing, info: nothing, log: nothing, warn: nothing };

/** `fastmcp`, another implementation of the server side. */
export async function fastmcpServer(): Promise<RealServer> {
  const port = await freePort();
  const start = async (): Promise<FastMCP> => {
    const server = new FastMCP({ name: 'fastmcp', version: '1.0.0', logger: QUIET });
    server.addTool({
      name: 'add',
      description: 'adds',
      parameters: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => Promise.resolve(String(a + b)),
    });
    await server.start({
      transportType: 'httpStream',
      httpStream: { port, endpoint: '/mcp', host: '127.0.0.1' },
    });
    return server;
  };
  let server = await start();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async restart() {
      await server.stop();
      server = await start();
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

async function listen(serve: RequestListener): Promise<RealServer> {
  const sockets = new Set<Socket>();
  const calls = new Set<Socket>();
  const server = createServer((request, response) => {
    const { socket } = request;
    if (request.method === 'POST') calls.add(socket);
    response.once('finish', () => calls.delete(socket));
    serve(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async restart() {
      await stop();
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    dropCalls() {
      for (const socket of calls) socket.destroy();
    },
    [Symbol.asyncDispose]: stop,
  };
}

function memoryEventStore(): EventStore {
  const events: { id: string; stream: string; message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  return {
    storeEvent(stream, message) {
      const id = `${stream}_${events.length}`;
      events.push({ id, stream, message });
      return Promise.resolve(id);
    },
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex(({ id }) => id === last);
      const stream = events[at]?.stream ?? '';
      for (const event of events.slice(at + 1)) {
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
      }
      return stream;
    },
  };
}

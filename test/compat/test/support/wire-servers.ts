import type { JSONRPCMessage, Transport } from '@mcp-fittings/client-core';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { createHttpTransport } from '@mcp-fittings/transport-http';
import { createSseTransport } from '@mcp-fittings/transport-sse';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import {
  scriptedServer,
  type Script,
} from '../../../../packages/transport-http/test/support/scripted-server.js';
import { startSseServer } from '../../../../packages/transport-sse/test/support/sse-server.js';
import { startServer } from '../../../../packages/transport-ws/test/support/mcp-server.js';

export interface WireServer extends AsyncDisposable {
  /** A new connection to it. */
  connect(): Transport;
  readonly url: string;
}

export interface WireServerOptions {
  /** What it answers to `initialize`. Default: the revision that the client asked for. */
  readonly version?: string | undefined;
  /** It cuts the connection when it is asked to `initialize`. */
  readonly dies?: boolean | undefined;
  /** It says at once what comes after `notifications/initialized`. */
  readonly announces?: boolean | undefined;
  /** The names of its tools. Default: it has none. */
  readonly tools?: (() => readonly string[]) | undefined;
  /** It answers no call, and says here that there is one. */
  readonly onCall?: (() => void) | undefined;
  /** HTTP only: how it answers the GET for its event stream. Default 405. */
  readonly onStream?: Script | undefined;
}

const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
export const TOKEN = 'a-token-of-enough-length';

/** Servers behind real sockets, one for each remote wire. */
export const wireServers = { http, sse, ws } as const;

async function http(options: WireServerOptions = {}): Promise<WireServer> {
  const server = await scriptedServer({
    on: {
      initialize(exchange) {
        if (options.dies === true) return exchange.drop();
        const { protocolVersion } = exchange.message.params as { protocolVersion: string };
        exchange.result({
          protocolVersion: options.version ?? protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'http', version: '1' },
        });
      },
      'server/discover': (exchange) => exchange.rpcError(-32601, 'Method not found'),
      ...(options.announces === true && { GET: (exchange) => void exchange.sse().event({ data: CHANGED }) }),
      ...(options.onStream !== undefined && { GET: options.onStream }),
      ...(options.onCall !== undefined && { 'tools/call': options.onCall }),
      'tools/list': (exchange) => exchange.result(listOf(options.tools?.() ?? [])),
    },
  });
  return {
    connect: () => createHttpTransport({ url: server.url, server: 'test' }),
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function sse(options: WireServerOptions = {}): Promise<WireServer> {
  const server = await startSseServer({
    onPost(request, response, stream) {
      const message = JSON.parse(request.body) as JSONRPCMessage;
      if (options.dies === true && 'method' in message && message.method === 'initialize') {
        stream?.cut();
        return void response.destroy();
      }
      response.writeHead(202).end('Accepted');
      answer(message, (value) => stream?.message(value), options);
    },
  });
  return {
    connect: () => createSseTransport({ url: server.url, server: 'test' }),
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function ws(options: WireServerOptions = {}): Promise<WireServer> {
  const server = await startServer({
    async onConnection(transport) {
      transport.onmessage = (message) => {
        if (options.dies === true && 'method' in message && message.method === 'initialize') {
          return void transport.close();
        }
        answer(message, (value) => void transport.send(value).catch(() => undefined), options);
      };
      await transport.start();
    },
  });
  return {
    connect: () => createWebSocketTransport({ url: server.url, apiKey: TOKEN, server: 'test' }),
    url: server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const listOf = (names: readonly string[]) => ({
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
});

function answer(
  message: JSONRPCMessage,
  send: (value: Parameters<Transport['send']>[0]) => void,
  { version, announces, tools, onCall }: WireServerOptions,
): void {
  if (onCall !== undefined && isRequest(message) && message.method === 'tools/call') return onCall();
  if (tools !== undefined && isRequest(message) && message.method === 'tools/list') {
    return send({ jsonrpc: '2.0', id: message.id, result: listOf(tools()) });
  }
  const peer = createKitPeer({
    send(value) {
      let text = JSON.stringify(value);
      if (tools !== undefined) text = text.replace('"capabilities":{}', '"capabilities":{"tools":{}}');
      send(JSON.parse(version === undefined ? text : text.replace(/"\d{4}-\d\d-\d\d"/, `"${version}"`)));
    },
  });
  peer.receive(message);
  if (announces === true && 'method' in message && message.method === 'notifications/initialized') {
    send({ jsonrpc: '2.0', method: CHANGED.method });
  }
}

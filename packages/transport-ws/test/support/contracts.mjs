// JavaScript, so that `node --test` runs it against `dist` on Node 20 too.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { createWebSocketTransport } from '@mcp-fittings/transport-ws';
import { createWebSocketServer } from '@mcp-fittings/transport-ws/server';
import { WebSocket, WebSocketServer } from 'ws';

/** Text messages that are not JSON-RPC. */
const GARBAGE = ['', 'not json', '{"jsonrpc":', '\ufeff{}', 'null', '42'];
const CAPABILITIES = { backPressure: true, garbage: GARBAGE };
const CLIENT = { ...CAPABILITIES, signal: true, serverName: true };

/** @param {WebSocket} webSocket */
function serveKit(webSocket) {
  const peer = createKitPeer({
    send: (value) => webSocket.send(JSON.stringify(value)),
    sendRaw: (text) => webSocket.send(text),
    die: () => webSocket.terminate(),
  });
  webSocket.on('message', (/** @type {Buffer} */ data) => peer.receive(JSON.parse(data.toString())));
  webSocket.on('error', () => undefined);
}

async function startHttpServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen on a port.');
  return { server, port: address.port };
}

/** @param {import('node:http').Server} server */
async function stop(server) {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** @param {Partial<import('@mcp-fittings/transport-ws').WebSocketTransportOptions>} options */
async function setupClient(options) {
  const { server, port } = await startHttpServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: options.perMessageDeflate === true });
  const clients = () => [...sockets.clients];
  sockets.on('connection', serveKit);
  return {
    transport: createWebSocketTransport({ url: `ws://127.0.0.1:${port}/`, closeTimeoutMs: 500, ...options }),
    killPeer: async () => clients().forEach((webSocket) => webSocket.terminate()),
    pausePeer: async () => clients().forEach((webSocket) => webSocket.pause()),
    resumePeer: async () => clients().forEach((webSocket) => webSocket.resume()),
    teardown: async () => {
      clients().forEach((webSocket) => webSocket.terminate());
      sockets.close();
      await stop(server);
    },
  };
}

async function setupUnreachable() {
  const { server, port } = await startHttpServer();
  await stop(server);
  return {
    transport: createWebSocketTransport({ url: `ws://127.0.0.1:${port}/` }),
    teardown: async () => undefined,
  };
}

/** The transport that our server gives; its peer is a client of the `ws` package. */
async function setupServer() {
  const { server, port } = await startHttpServer();
  /** @type {Promise<import('@mcp-fittings/client-core').Transport>} */
  const accepted = new Promise((resolve) => {
    createWebSocketServer({ server, authenticate: () => true, closeTimeoutMs: 500, onConnection: resolve });
  });
  const peer = new WebSocket(`ws://127.0.0.1:${port}/`, ['mcp'], { perMessageDeflate: false });
  serveKit(peer);
  const transport = await accepted;
  return {
    transport,
    killPeer: async () => peer.terminate(),
    pausePeer: async () => peer.pause(),
    resumePeer: async () => peer.resume(),
    teardown: async () => {
      peer.terminate();
      await transport.close();
      await stop(server);
    },
  };
}

/** @type {typeof import('./contracts.mjs').contracts} */
export function contracts() {
  return [
    { name: 'ws client', capabilities: CLIENT, setup: setupClient, setupUnreachable },
    {
      name: 'ws client with compression',
      // The flood of the suite is one letter, of which compression leaves less than a socket holds.
      capabilities: { ...CLIENT, backPressure: false },
      setup: (options) => setupClient({ ...options, perMessageDeflate: true }),
    },
    { name: 'ws server', capabilities: CAPABILITIES, setup: setupServer },
  ];
}

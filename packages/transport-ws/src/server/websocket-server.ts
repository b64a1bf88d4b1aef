import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { guardLogger } from '@mcp-fittings/toolbox/logging';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { WebSocketServer as UpgradeHandler, type ServerOptions, type WebSocket } from 'ws';
import { CLOSE } from '../socket/close-codes.js';
import {
  checkNumbers,
  checkSocketNumbers,
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_MAX_MESSAGE_BYTES,
  DEFLATE_OPTIONS,
} from '../socket/socket-options.js';
import { SocketTransport } from '../socket/socket-transport.js';
import { createAccessControl } from './access-control.js';
import { CLOSING, createAdmission } from './admission.js';
import type { WebSocketServer, WebSocketServerOptions } from './options.js';
import { createRefusalLog, refuseUpgrade, type UpgradeRefusal } from './refuse-upgrade.js';

const SUB_PROTOCOL = 'mcp';
const NOT_FOUND: UpgradeRefusal = { status: 404, reason: 'No WebSocket is served at this path' };

/**
 * Handles the upgrade requests of an `http.Server` and creates a transport for each client, which the servers of both official SDKs
 * accept. Only clients that `token`, `authenticate` or `allowedOrigins` admit can connect. Throws `CONFIG_INVALID` if the options
 * admit no client, or if a number is out of range.
 *
 * @example
 * ```ts
 * const sockets = createWebSocketServer({
 *   server: httpServer,
 *   token: process.env['MCP_TOKEN'],
 *   onConnection: (transport) => mcpServer().connect(transport),
 * });
 * ```
 */
export function createWebSocketServer(options: WebSocketServerOptions): WebSocketServer {
  const { server, path, clock = systemClock, handshakeMs = 10_000 } = options;
  const logger = guardLogger(options.logger);
  const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS, heartbeat, maxPings, maxQueuedBytes } = options;
  const { maxConnections = 100, maxHandshakes = 32 } = options;
  checkSocketNumbers(options);
  checkNumbers({ maxConnections, maxHandshakes, handshakeMs }, { min: 1 });
  const transports = new Set<SocketTransport>();
  const closing = new AbortController();
  const logRefusal = createRefusalLog(logger);
  const admit = createAdmission({
    access: createAccessControl(options),
    maxConnections,
    maxHandshakes,
    handshakeMs,
    connections: () => transports.size,
    closing: closing.signal,
    clock,
    logger,
  });
  const handler = createHandler(options, closeTimeoutMs);

  const turnAway = (socket: Duplex, refusal: UpgradeRefusal): void => {
    logRefusal(refusal);
    refuseUpgrade(socket, refusal);
  };

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node.js removed its own listener; without one, a reset of the connection would end the process.
    socket.on('error', () => undefined);
    // Other streams do not count the bytes that were read.
    if (!(socket instanceof Socket)) socket.destroy();
    else if (path === undefined || pathOf(request) === path) void handle(request, socket, head);
    else leaveToOthers(socket);
  };

  /** Another listener may handle the path. If none of them answers, the socket would stay open forever. */
  const leaveToOthers = (socket: Socket): void => {
    if (server.listenerCount('upgrade') === 1) return turnAway(socket, NOT_FOUND);
    const { bytesWritten } = socket;
    const giveUp = (): void => {
      if (!socket.destroyed && socket.bytesWritten === bytesWritten) turnAway(socket, NOT_FOUND);
    };
    const timer = clock.schedule(giveUp, handshakeMs, { unref: true });
    socket.once('close', () => timer[Symbol.dispose]());
  };

  const handle = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    const refusal = await admit(request, socket);
    if (socket.destroyed) return;
    if (refusal !== undefined) turnAway(socket, refusal);
    else if (closing.signal.aborted) turnAway(socket, CLOSING);
    else handler.handleUpgrade(request, socket, head, (webSocket) => accept(webSocket, socket, request));
  };

  const accept = (webSocket: WebSocket, socket: Socket, request: IncomingMessage): void => {
    // Nothing is read until the transport is started, so that nothing is lost.
    webSocket.pause();
    webSocket.on('error', () => undefined);
    const transport = new SocketTransport({
      heartbeat,
      maxPings,
      maxQueuedBytes,
      closeTimeoutMs,
      clock,
      source: { accepted: { webSocket, socket } },
      description: { remoteAddress: socket.remoteAddress },
    });
    transports.add(transport);
    const giveUp = (): void => {
      if (!transport.isStarted) void transport.closeWith(CLOSE.tryAgainLater);
    };
    const timer = clock.schedule(giveUp, handshakeMs, { unref: true });
    webSocket.once('close', () => {
      timer[Symbol.dispose]();
      transports.delete(transport);
    });
    void hand(transport, request);
  };

  const hand = async (transport: SocketTransport, request: IncomingMessage): Promise<void> => {
    try {
      await options.onConnection(transport, request);
    } catch (cause) {
      logger?.error('The `onConnection` callback threw an error.', { cause });
      await transport.closeWith(CLOSE.internalError);
    }
  };

  const end = async (): Promise<void> => {
    server.off('upgrade', onUpgrade);
    closing.abort();
    await Promise.all([...transports].map((transport) => transport.closeWith(CLOSE.goingAway)));
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());

  server.on('upgrade', onUpgrade);
  return {
    get connections() {
      return transports.size;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function createHandler(
  { maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES, perMessageDeflate = false }: WebSocketServerOptions,
  closeTimeoutMs: number,
): UpgradeHandler {
  // `closeTimeout` is missing from the types of ws.
  const options: ServerOptions & { readonly closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    perMessageDeflate: perMessageDeflate && DEFLATE_OPTIONS,
    closeTimeout: closeTimeoutMs,
    handleProtocols: (offered) => offered.has(SUB_PROTOCOL) && SUB_PROTOCOL,
  };
  return new UpgradeHandler(options);
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

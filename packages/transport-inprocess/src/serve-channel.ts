import type { Clock, JSONRPCMessage, RequestId, TransportError } from '@mcp-fittings/client-core';
import { isMessage, isRequest, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { ControlChannel } from './control-channel.js';
import type { ServerFactory } from './hosted-server.js';
import { serveConnection, type ServedConnection } from './served-connection.js';

/** The serving side of a control channel, as {@link serveChannel} returns it. */
export interface ChannelServer extends AsyncDisposable {
  /** Unsubscribes from the channel and closes all servers. Resolves when they are closed. */
  close(): Promise<void>;
}

/**
 * Serves the servers of this process to clients in another runtime. A server is created when the first request for its name
 * arrives, and created anew when a client initializes again. A request for an unknown name is answered with the JSON-RPC
 * error -32600.
 *
 * @example
 * ```ts
 * const serving = serveChannel(channel, { servers: { vscode: createEditorServer } });
 * // later
 * await serving.close();
 * ```
 */
export function serveChannel(
  channel: ControlChannel,
  options: {
    /** The servers of this runtime, by the name that clients ask for. */
    readonly servers: Readonly<Record<string, ServerFactory>>;
    /** Milliseconds that a factory and its server's `connect()` may take together. Default 30 000. */
    readonly startTimeoutMs?: number | undefined;
    /** Clock that `startTimeoutMs` is measured with. Default: the system clock. */
    readonly clock?: Clock | undefined;
    /** Called with the reason when a server cannot be created or closed; its client gets a JSON-RPC error. Default: ignored. */
    readonly onError?: ((error: TransportError) => void) | undefined;
  },
): ChannelServer {
  const { servers, startTimeoutMs, clock, onError = () => undefined } = options;
  const connections = new Map<string, Served>();

  const refuse = (server: string, id: RequestId, code: number, message: string): void => {
    // Where the channel fails, there is no one left to tell.
    void (async () => channel.send(server, { jsonrpc: '2.0', id, error: { code, message } }))().catch(
      () => undefined,
    );
  };

  const connect = (server: string, createServer: ServerFactory): Served => {
    const served: Served = {
      initialized: false,
      connection: serveConnection({
        server,
        channel,
        createServer,
        startTimeoutMs,
        clock,
        onError,
        refuse: (id) => refuse(server, id, RPC_CODES.internalError, 'The server could not be started.'),
        onEnd: () => void connections.delete(server),
      }),
    };
    connections.set(server, served);
    return served;
  };

  const accept = (server: string, message: JSONRPCMessage): void => {
    const initializes = isRequest(message) && message.method === 'initialize';
    let served = connections.get(server);
    if (served?.initialized === true && initializes) {
      // The client has restarted without closing its connection.
      served.connection.abandon();
      served = undefined;
    }
    if (served === undefined) {
      // A notification or response that is left of an earlier connection must not start a server.
      if (!isRequest(message)) return;
      const createServer = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if (createServer === undefined) {
        refuse(server, message.id, RPC_CODES.invalidRequest, 'There is no server of this name.');
        return;
      }
      served = connect(server, createServer);
    }
    served.initialized ||= initializes;
    served.connection.receive(message);
  };

  const unsubscribe = channel.subscribe({
    message(server, message) {
      if (typeof server === 'string' && isMessage(message)) accept(server, message);
    },
    closed(server) {
      for (const [name, { connection }] of connections) {
        if (server === undefined || server === name) connection.abandon();
      }
    },
  });

  const close = async (): Promise<void> => {
    unsubscribe();
    await Promise.all([...connections.values()].map(({ connection }) => connection.close()));
  };
  return { close, [Symbol.asyncDispose]: close };
}

interface Served {
  readonly connection: ServedConnection;
  initialized: boolean;
}

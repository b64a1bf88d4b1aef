import {
  isMessage,
  isRequest,
  RPC_CODES,
  type Clock,
  type JSONRPCMessage,
  type RequestId,
  type TransportError,
} from '@mcp-fittings/client-core/transport';
import type { ControlChannel } from './control-channel.js';
import { serveConnection, type ServedConnection } from './served-connection.js';
import type { ServerFactory } from './server-factory.js';

export interface ServeChannelOptions {
  /** The servers of this runtime, by the name under which messages for them arrive. */
  readonly servers: Readonly<Record<string, ServerFactory>>;
  /** Milliseconds that a factory and the server's `connect` may take together. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Told why a server could not be made or closed; its client gets a JSON-RPC error. */
  readonly onError?: ((error: TransportError) => void) | undefined;
}

/** The serving end of a control channel. */
export interface ChannelServer extends AsyncDisposable {
  /** Stops listening and closes all servers. */
  close(): Promise<void>;
}

/**
 * Serves in-process servers to clients in another runtime. A server is made when the first request for its name
 * arrives, and made anew when a client initializes again.
 */
export function serveChannel(channel: ControlChannel, options: ServeChannelOptions): ChannelServer {
  const { servers, startTimeoutMs, clock, onError = () => undefined } = options;
  const connections = new Map<string, Served>();

  const refuse = (server: string, id: RequestId, code: number, message: string): void => {
    // The answer of a channel that fails has nobody to go to.
    void (async () => channel.send(server, { jsonrpc: '2.0', id, error: { code, message } }))().catch(
      () => undefined,
    );
  };

  const connect = (server: string, factory: ServerFactory): Served => {
    const served: Served = {
      initialized: false,
      connection: serveConnection({
        name: server,
        channel,
        factory,
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
      // The client started anew without saying good-bye.
      served.connection.abandon();
      served = undefined;
    }
    if (served === undefined) {
      // What is left of an earlier connection opens none.
      if (!isRequest(message)) return;
      const factory = Object.hasOwn(servers, server) ? servers[server] : undefined;
      if (factory === undefined) {
        refuse(server, message.id, RPC_CODES.invalidRequest, 'There is no server of this name.');
        return;
      }
      served = connect(server, factory);
    }
    served.initialized ||= initializes;
    served.connection.take(message);
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

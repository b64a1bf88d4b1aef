import { type Clock, FittingsError, type Transport, TransportError } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { withTimeout } from '@mcp-fittings/toolbox/timing';

/**
 * An MCP server object: anything that can be connected to a transport, such as `McpServer` and `Server` of
 * `@modelcontextprotocol/sdk` and of `@modelcontextprotocol/server`.
 */
export interface ConnectableServer {
  /** Attaches the server to its side of the connection and starts that transport. */
  connect(transport: Transport): Promise<void>;
  /** Closes the server. Called once, when the connection ends; it may take 5 s. */
  close(): Promise<void>;
}

/** Creates the server of one connection. Called once for each connection, when it starts: a server has one client. */
export type ServerFactory = () => ConnectableServer | Promise<ConnectableServer>;

/** The server of one connection: created, connected and closed with it, whatever the code of the server does. */
export interface HostedServer {
  /** Rejects with `CALLBACK_FAILED` when `createServer` or the server throws, with `TIMEOUT` when they take too long. */
  start(transport: Transport): Promise<void>;
  /** Never rejects. Safe at any time, also during {@link start}, which then rejects soon. */
  stop(): Promise<void>;
}

export interface HostedServerOptions {
  /** Name of the server, for error messages. */
  readonly server: string;
  readonly createServer: ServerFactory;
  readonly startTimeoutMs: number;
  readonly clock: Clock;
  /** Called with what goes wrong while the server is being closed. */
  readonly onError: (error: TransportError) => void;
}

/** A server that does not finish its own close() must not keep the connection from ending. */
const STOP_TIMEOUT_MS = 5000;

export function hostServer(options: HostedServerOptions): HostedServer {
  const { server, createServer, startTimeoutMs, clock, onError } = options;
  let instance: ConnectableServer | undefined;
  let stopped: Promise<void> | undefined;
  let interrupt: (error: TransportError) => void = () => undefined;
  const interrupted = new Promise<never>((_, reject) => {
    interrupt = reject;
  });
  // It may reject after start() has settled.
  interrupted.catch(() => undefined);

  const failed = (what: string, cause: unknown, hint?: string): TransportError => {
    const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
    return new TransportError('CALLBACK_FAILED', `${what}: ${text}`, { server, cause, hint });
  };
  const tooLate = (what: string, ms: number) => (): TransportError =>
    new TransportError('TIMEOUT', `${what} within ${ms} ms.`, { server });

  const close = async (created: ConnectableServer): Promise<void> => {
    const error = tooLate('The in-process server did not close', STOP_TIMEOUT_MS);
    try {
      await withTimeout({ ms: STOP_TIMEOUT_MS, clock, error }, () => created.close());
    } catch (cause) {
      onError(
        cause instanceof TransportError ? cause : failed('Could not close the in-process server', cause),
      );
    }
  };

  const createAndConnect = async (transport: Transport): Promise<void> => {
    let created: ConnectableServer;
    try {
      created = await createServer();
    } catch (cause) {
      throw cause instanceof FittingsError
        ? cause
        : failed('The factory of the in-process server failed', cause);
    }
    if (stopped !== undefined) return close(created);
    instance = created;
    try {
      await created.connect(transport);
    } catch (cause) {
      const hint = 'Return a new server from every call of the factory: a server has one client.';
      throw failed('Could not connect the in-process server', cause, hint);
    }
  };

  return {
    async start(transport) {
      const error = tooLate('The in-process server did not start', startTimeoutMs);
      await withTimeout({ ms: startTimeoutMs, clock, error }, () =>
        Promise.race([createAndConnect(transport), interrupted]),
      );
    },
    stop() {
      interrupt(new TransportError('TRANSPORT_CLOSED', 'The connection was closed.', { server }));
      return (stopped ??= instance === undefined ? Promise.resolve() : close(instance));
    },
  };
}

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

interface HostedServerOptions {
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

/** The server of one connection: created, connected and closed with it, whatever the code of the server does. */
export class HostedServer {
  readonly #options: HostedServerOptions;
  #instance: ConnectableServer | undefined;
  #stopped: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(options: HostedServerOptions) {
    this.#options = options;
  }

  /** Rejects with `CALLBACK_FAILED` when `createServer` or the server throws, with `TIMEOUT` when they take too long. */
  async start(transport: Transport): Promise<void> {
    const { startTimeoutMs: ms, clock } = this.#options;
    const error = (): TransportError => this.#tooLate('The in-process server did not start', ms);
    const { signal } = this.#stopping;
    await withTimeout({ ms, clock, error, signal }, () => this.#createAndConnect(transport));
  }

  /** Never rejects. Safe at any time, also during {@link start}, which then rejects soon. */
  stop(): Promise<void> {
    const { server } = this.#options;
    this.#stopping.abort(new TransportError('TRANSPORT_CLOSED', 'The connection was closed.', { server }));
    this.#stopped ??= this.#instance === undefined ? Promise.resolve() : this.#close(this.#instance);
    return this.#stopped;
  }

  async #createAndConnect(transport: Transport): Promise<void> {
    let created: ConnectableServer;
    try {
      created = await this.#options.createServer();
    } catch (cause) {
      throw cause instanceof FittingsError
        ? cause
        : this.#failed('The factory of the in-process server failed', cause);
    }
    if (this.#stopped !== undefined) return this.#close(created);
    this.#instance = created;
    try {
      await created.connect(transport);
    } catch (cause) {
      const hint = 'Return a new server from every call of the factory: a server has one client.';
      throw this.#failed('Could not connect the in-process server', cause, hint);
    }
  }

  async #close(created: ConnectableServer): Promise<void> {
    const { clock, onError } = this.#options;
    const error = (): TransportError => this.#tooLate('The in-process server did not close', STOP_TIMEOUT_MS);
    try {
      await withTimeout({ ms: STOP_TIMEOUT_MS, clock, error }, () => created.close());
    } catch (cause) {
      onError(
        cause instanceof TransportError
          ? cause
          : this.#failed('Could not close the in-process server', cause),
      );
    }
  }

  #failed(what: string, cause: unknown, hint?: string): TransportError {
    const text = sanitizeText(cause instanceof Error ? cause.message : String(cause));
    const { server } = this.#options;
    return new TransportError('CALLBACK_FAILED', `${what}: ${text}`, { server, cause, hint });
  }

  #tooLate(what: string, ms: number): TransportError {
    return new TransportError('TIMEOUT', `${what} within ${ms} ms.`, { server: this.#options.server });
  }
}

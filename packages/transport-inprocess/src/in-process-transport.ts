import type { Clock, Transport, TransportDescription } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { HostedServer, type ServerFactory } from './hosted-server.js';
import { LinkedTransport } from './linked-pair.js';
import { Mailbox } from './mailbox.js';

/** Options of {@link createInProcessTransport}. */
export interface InProcessTransportOptions {
  /** Creates the server when the transport is started. */
  readonly createServer: ServerFactory;
  /** Name of the server in error messages and in `describe()`. Default `in-process`. */
  readonly server?: string | undefined;
  /**
   * Copy every message with `structuredClone`, so that neither side sees what the other does to its objects later.
   * Default false: client and server share the objects.
   */
  readonly clone?: boolean | undefined;
  /** Milliseconds that {@link createServer} and the server's `connect()` may take together. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
  /** Clock that `startTimeoutMs` is measured with. Default: the system clock. Tests pass one of their own. */
  readonly clock?: Clock | undefined;
  /** Closes the connection when it is aborted; `closeReason` is then `ABORTED`, and `start()` rejects with it. */
  readonly signal?: AbortSignal | undefined;
}

class InProcessTransport extends LinkedTransport {
  readonly #hosted: HostedServer;
  readonly #serverSide: Transport;

  constructor(options: InProcessTransportOptions) {
    const { createServer, server = 'in-process', clone = false, startTimeoutMs = 30_000 } = options;
    const inbox = new Mailbox();
    const outbox = new Mailbox();
    super({ inbox, outbox, clone, server, signal: options.signal });
    this.#serverSide = new LinkedTransport({ inbox: outbox, outbox: inbox, clone, server });
    this.#hosted = new HostedServer({
      server,
      createServer,
      startTimeoutMs,
      clock: options.clock ?? systemClock,
      onError: (error) => this.report(error),
    });
  }

  override describe(): TransportDescription {
    return { ...super.describe(), server: this.server };
  }

  protected override async open(): Promise<void> {
    await super.open();
    await this.#hosted.start(this.#serverSide);
  }

  protected override async shutDown(): Promise<void> {
    await super.shutDown();
    await this.#hosted.stop();
    await this.#serverSide.close();
  }
}

/**
 * Creates a transport to a server object in this process, without a socket, a process or serialization. The server is
 * created when the transport starts, and closed with it.
 *
 * `start()` rejects with `CALLBACK_FAILED` when `createServer` or the server throws, and with `TIMEOUT` when they take longer
 * than `startTimeoutMs`.
 *
 * @example
 * ```ts
 * const transport = createInProcessTransport({
 *   createServer: () => new McpServer({ name: 'notes', version: '1.0.0' }),
 * });
 * await client.connect(transport);
 * ```
 */
export function createInProcessTransport(options: InProcessTransportOptions): Transport {
  return new InProcessTransport(options);
}

import {
  systemClock,
  type Clock,
  type Transport,
  type TransportDescription,
} from '@mcp-fittings/client-core/transport';
import { hostServer, type HostedServer } from './hosted-server.js';
import { LinkedHalf } from './linked-half.js';
import { createMailbox } from './mailbox.js';
import type { ServerFactory } from './server-factory.js';

export interface InProcessTransportOptions {
  /** Makes the server when the transport is started. */
  readonly server: ServerFactory;
  /** Name of the server, for error messages. Default `in-process`. */
  readonly name?: string | undefined;
  /** Copy every message with `structuredClone`. Default false: client and server share the objects. */
  readonly clone?: boolean | undefined;
  /** Milliseconds that the factory and the server's `connect` may take together. Default 30 000. */
  readonly startTimeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Closes the connection when it is aborted; `closeReason` is then `ABORTED`, and `start()` rejects with it. */
  readonly signal?: AbortSignal | undefined;
}

class InProcessTransport extends LinkedHalf {
  readonly #hosted: HostedServer;
  readonly #serverSide: Transport;

  constructor(options: InProcessTransportOptions) {
    const { server: factory, name = 'in-process', clone = false, startTimeoutMs = 30_000 } = options;
    const inbox = createMailbox();
    const outbox = createMailbox();
    super({ inbox, outbox, clone, server: name, signal: options.signal });
    this.#serverSide = new LinkedHalf({ inbox: outbox, outbox: inbox, clone, server: name });
    this.#hosted = hostServer({
      name,
      factory,
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
 * A transport to a server object in this process. Nothing is serialised, no socket or process is involved; the server
 * is made when the transport starts and closed with it.
 *
 * `start` rejects with `CALLBACK_FAILED` when the factory or the server throws, with `TIMEOUT` when they take too long.
 */
export function createInProcessTransport(options: InProcessTransportOptions): Transport {
  return new InProcessTransport(options);
}

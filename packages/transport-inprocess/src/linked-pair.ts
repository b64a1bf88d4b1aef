import type { JSONRPCMessage, Transport, TransportDescription } from '@mcp-fittings/client-core';
import { BaseTransport, type BaseTransportOptions } from '@mcp-fittings/toolbox/base-transport';
import { Mailbox } from './mailbox.js';

/**
 * Creates two transports that are connected to each other: pass one to a client and the other to a server. Messages arrive
 * in order and asynchronously. When one side closes, the other ends with `CONNECTION_LOST`.
 *
 * @example
 * ```ts
 * const [clientSide, serverSide] = createLinkedPair();
 * await server.connect(serverSide);
 * await client.connect(clientSide);
 * ```
 */
export function createLinkedPair(
  options: {
    /**
     * Copy every message with `structuredClone`, so that neither side sees what the other does to its objects later.
     * Default false: both sides share the objects.
     */
    readonly clone?: boolean | undefined;
    /** Name of the server; every error of the two transports has it as `server`. Default none. */
    readonly server?: string | undefined;
  } = {},
): readonly [Transport, Transport] {
  const { clone = false, server } = options;
  const first = new Mailbox();
  const second = new Mailbox();
  return [
    new LinkedTransport({ inbox: first, outbox: second, clone, server }),
    new LinkedTransport({ inbox: second, outbox: first, clone, server }),
  ];
}

export interface LinkedTransportOptions extends BaseTransportOptions {
  /** Mailbox to which the other side writes. */
  readonly inbox: Mailbox;
  /** Mailbox from which the other side reads. */
  readonly outbox: Mailbox;
  readonly clone: boolean;
}

/** One side of a pair: its inbox is the other side's outbox. */
export class LinkedTransport extends BaseTransport {
  readonly #inbox: Mailbox;
  readonly #outbox: Mailbox;
  readonly #clone: boolean;

  constructor(options: LinkedTransportOptions) {
    super(options);
    this.#inbox = options.inbox;
    this.#outbox = options.outbox;
    this.#clone = options.clone;
  }

  override describe(): TransportDescription {
    return { transport: 'inprocess', cloned: this.#clone };
  }

  protected override async open(): Promise<void> {
    if (this.#outbox.isClosed) {
      throw this.error('CONNECT_FAILED', 'The other side of the pair is closed.', { retryable: false });
    }
    this.#inbox.open({
      take: (message) => this.receive(message),
      end: () => this.fail(this.error('CONNECTION_LOST', 'The other side of the pair was closed.')),
    });
  }

  protected override write(message: JSONRPCMessage): undefined {
    if (this.#outbox.isClosed) {
      throw this.error('CONNECTION_LOST', 'The other side of the pair is closed.', { delivery: 'not-sent' });
    }
    this.#outbox.put(this.#clone ? this.#copyOf(message) : message);
  }

  protected override async shutDown(): Promise<void> {
    this.#inbox.close();
    this.#outbox.putEnd();
  }

  #copyOf(message: JSONRPCMessage): JSONRPCMessage {
    try {
      return structuredClone(message);
    } catch (cause) {
      throw this.error(
        'MESSAGE_UNSERIALIZABLE',
        'The message contains a value that structuredClone cannot copy.',
        {
          cause,
          delivery: 'not-sent',
        },
      );
    }
  }
}

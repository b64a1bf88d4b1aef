import {
  BaseTransport,
  type BaseTransportOptions,
  type JSONRPCMessage,
  type TransportDescription,
} from '@mcp-fittings/client-core/transport';
import type { Mail, Mailbox } from './mailbox.js';

export interface LinkedHalfOptions extends BaseTransportOptions {
  readonly inbox: Mailbox;
  readonly outbox: Mailbox;
  readonly clone: boolean;
}

/** One side of a pair: its inbox is the other side's outbox. */
export class LinkedHalf extends BaseTransport {
  readonly #inbox: Mailbox;
  readonly #outbox: Mailbox;
  readonly #clone: boolean;

  constructor(options: LinkedHalfOptions) {
    super(options);
    this.#inbox = options.inbox;
    this.#outbox = options.outbox;
    this.#clone = options.clone;
  }

  override describe(): TransportDescription {
    return { transport: 'inprocess', cloned: this.#clone };
  }

  protected override async open(): Promise<void> {
    if (this.#outbox.closed) {
      throw this.error('CONNECT_FAILED', 'The other side of the pair is closed.', { retryable: false });
    }
    this.#inbox.open((mail) => this.#take(mail));
  }

  protected override write(message: JSONRPCMessage): undefined {
    if (this.#outbox.closed) {
      throw this.error('CONNECTION_LOST', 'The other side of the pair is closed.', { delivery: 'not-sent' });
    }
    this.#outbox.put(this.#clone ? this.#copyOf(message) : message);
  }

  protected override async shutDown(): Promise<void> {
    this.#inbox.close();
    this.#outbox.put(undefined);
  }

  #take(mail: Mail): void {
    if (mail !== undefined) this.receive(mail);
    else this.fail(this.error('CONNECTION_LOST', 'The other side of the pair was closed.'));
  }

  #copyOf(message: JSONRPCMessage): JSONRPCMessage {
    try {
      return structuredClone(message);
    } catch (cause) {
      throw this.error('MESSAGE_UNSERIALIZABLE', 'The message holds a value that can not be cloned.', {
        cause,
        delivery: 'not-sent',
      });
    }
  }
}

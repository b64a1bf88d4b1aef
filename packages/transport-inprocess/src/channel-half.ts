import {
  BaseTransport,
  type BaseTransportOptions,
  type JSONRPCMessage,
  type TransportError,
  type TransportDescription,
} from '@mcp-fittings/client-core/transport';
import type { ChannelRoute, ChannelRoutes } from './channel-routes.js';
import type { ControlChannel } from './control-channel.js';

/** One side of a connection over a control channel. */
export class ChannelHalf extends BaseTransport implements ChannelRoute {
  readonly #name: string;
  readonly #channel: ControlChannel;
  readonly #routes: ChannelRoutes;
  #added = false;
  #endedByPeer = false;

  constructor(
    options: BaseTransportOptions & { readonly server: string },
    channel: ControlChannel,
    routes: ChannelRoutes,
  ) {
    super(options);
    this.#name = options.server;
    this.#channel = channel;
    this.#routes = routes;
  }

  override describe(): TransportDescription {
    return { transport: 'inprocess', channel: true, server: this.#name };
  }

  take(message: unknown): void {
    this.receive(message);
  }

  peerClosed(): void {
    this.#endedByPeer = true;
    this.fail(this.error('CONNECTION_LOST', 'The other side of the channel ended the connection.'));
  }

  protected override async open(): Promise<void> {
    this.#routes.add(this.#name, this);
    this.#added = true;
  }

  protected override async write(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#channel.send(this.#name, message);
    } catch (cause) {
      throw this.#sendFailed(cause);
    }
  }

  protected override async shutDown(): Promise<void> {
    if (!this.#added) return;
    this.#added = false;
    this.#routes.remove(this.#name);
    if (!this.#endedByPeer) this.#channel.closed?.(this.#name);
  }

  #sendFailed(cause: unknown): TransportError {
    if (cause instanceof Error && cause.name === 'DataCloneError') {
      return this.error('MESSAGE_UNSERIALIZABLE', 'The message holds a value that can not be cloned.', {
        cause,
        delivery: 'not-sent',
      });
    }
    return this.asTransportError(cause, 'CALLBACK_FAILED', 'unknown');
  }
}

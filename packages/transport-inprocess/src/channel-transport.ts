import { type JSONRPCMessage, type TransportDescription, TransportError } from '@mcp-fittings/client-core';
import { BaseTransport, type BaseTransportOptions } from '@mcp-fittings/toolbox/base-transport';
import type { ControlChannel } from './control-channel.js';

/** One side of a connection over a control channel. */
export class ChannelTransport extends BaseTransport {
  readonly #name: string;
  readonly #channel: ControlChannel;
  readonly #routes: RouteTable;
  #added = false;
  #endedByPeer = false;

  constructor(
    options: BaseTransportOptions & { readonly server: string },
    channel: ControlChannel,
    routes: RouteTable,
  ) {
    super(options);
    this.#name = options.server;
    this.#channel = channel;
    this.#routes = routes;
  }

  override describe(): TransportDescription {
    return { transport: 'inprocess', channel: true, server: this.#name };
  }

  /** Call it when the other side has closed this connection. */
  peerClosed(): void {
    this.#endedByPeer = true;
    this.fail(this.error('CONNECTION_LOST', 'The other side of the control channel closed the connection.'));
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
      return this.error(
        'MESSAGE_UNSERIALIZABLE',
        'The message contains a value that the control channel cannot copy.',
        {
          cause,
          delivery: 'not-sent',
        },
      );
    }
    return this.asTransportError(cause, 'CALLBACK_FAILED', 'unknown');
  }
}

/** Registers connections while they are open. */
export interface RouteTable {
  /** Throws `CONNECT_FAILED` while another connection of that name is open: each would get the other's answers. */
  add(server: string, route: ChannelTransport): void;
  remove(server: string): void;
}

/** The connections that share one channel, by the name of their server. It is subscribed to the channel while there is one. */
export class ChannelRoutes implements RouteTable {
  readonly #channel: ControlChannel;
  readonly #routes = new Map<unknown, ChannelTransport>();
  #unsubscribe: (() => void) | undefined;

  constructor(channel: ControlChannel) {
    this.#channel = channel;
  }

  add(server: string, route: ChannelTransport): void {
    const routes = this.#routes;
    if (routes.has(server)) {
      throw new TransportError(
        'CONNECT_FAILED',
        `The control channel already has an open connection to the server "${server}".`,
        {
          server,
          hint: 'Close that connection first, or name another server in one of the two entries.',
        },
      );
    }
    this.#unsubscribe ??= this.#channel.subscribe({
      message: (from, message) => routes.get(from)?.receive(message),
      closed(from) {
        if (from !== undefined) routes.get(from)?.peerClosed();
        else for (const each of routes.values()) each.peerClosed();
      },
    });
    routes.set(server, route);
  }

  remove(server: string): void {
    this.#routes.delete(server);
    if (this.#routes.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

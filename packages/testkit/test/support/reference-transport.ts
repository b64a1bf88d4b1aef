import type { JSONRPCMessage, TransportDescription } from '@mcp-fittings/client-core';
import { BaseTransport, type BaseTransportOptions } from '@mcp-fittings/toolbox/base-transport';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import type { TransportCapabilities, TransportFixture } from '@mcp-fittings/testkit/transport';

/** Text travels both ways as in a pipe; the peer's side lives in the same object. */
export class ReferenceTransport extends BaseTransport {
  readonly peer = createKitPeer({
    send: (value) => this.fromPeer(JSON.stringify(value)),
    sendRaw: (text) => this.fromPeer(text),
    die: () => this.peerDied(),
  });
  peerExists = true;
  #resume: (() => void) | undefined;
  #paused: Promise<void> | undefined;
  #alive = true;
  #scheduled = false;
  #arrived: string[] = [];

  override describe(): TransportDescription {
    return { transport: 'reference' };
  }

  pause(): void {
    this.#paused = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#paused = undefined;
    this.#resume?.();
  }

  peerDied(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.fail(this.error('CONNECTION_LOST', 'The peer is gone.'));
  }

  /** What the peer wrote arrives a turn later, all of it in one chunk. */
  fromPeer(text: string): void {
    this.#arrived.push(text);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const line of this.#arrived.splice(0)) if (this.#alive) this.onText(line);
    });
  }

  protected onText(text: string): void {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.reportCounted('MESSAGE_INVALID', () => 'The peer sent something that is not JSON.');
      return;
    }
    this.receive(value);
  }

  protected override async open(): Promise<void> {
    if (!this.peerExists) throw this.error('CONNECTION_REFUSED', 'There is no peer.');
  }

  protected override async write(message: JSONRPCMessage): Promise<void> {
    const text = this.encode(message);
    if (this.#paused !== undefined) {
      if (isRequest(message)) this.markUnsent(message.id);
      await this.#paused;
      if (isRequest(message) && !this.isPending(message.id)) return;
    }
    if (this.#alive) this.peer.receive(JSON.parse(text));
  }

  protected override async shutDown(): Promise<void> {
    this.#alive = false;
    this.#resume?.();
  }
}

export const referenceCapabilities: TransportCapabilities = {
  largeMessageLength: 100_000,
  backPressure: true,
  signal: true,
  serverName: true,
  garbage: ['not json', '{"jsonrpc":', '\u0000'],
};

/** `damage` breaks the transport; how the fixture ends it stays whole. */
export function referenceFixture(
  make: (options: BaseTransportOptions) => ReferenceTransport = (options) => new ReferenceTransport(options),
  damage: (transport: ReferenceTransport) => void = () => undefined,
  options: BaseTransportOptions = {},
): TransportFixture {
  const transport = make(options);
  const close = transport.close.bind(transport);
  damage(transport);
  return {
    transport,
    killPeer: async () => transport.peerDied(),
    pausePeer: async () => transport.pause(),
    resumePeer: async () => transport.resume(),
    teardown: () => close(),
  };
}

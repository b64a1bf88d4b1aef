import type {
  JSONRPCMessage,
  RequestId,
  TransportDescription,
  TransportError,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';

/** A wire that a test holds in its hand. */
export class WireTransport extends BaseTransport {
  readonly written: JSONRPCMessage[] = [];
  readonly shutDowns: (TransportError | undefined)[] = [];
  whenOpening: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  whenWriting: (message: JSONRPCMessage, options: TransportSendOptions) => Promise<void> = () =>
    Promise.resolve();
  whenShuttingDown: () => Promise<void> = () => Promise.resolve();

  /** The peer sent this. */
  hear(value: unknown): void {
    this.receive(value);
  }

  /** No answer can come to this request any more. */
  giveUp(id: RequestId): boolean {
    return this.failRequest(id, this.error('STREAM_LOST', 'The stream ended.'));
  }

  get ignoredByKind(): Readonly<Record<string, number>> {
    return this.ignored;
  }

  /** The wire broke. */
  break(message = 'The wire broke.'): void {
    this.fail(this.error('CONNECTION_LOST', message));
  }

  override describe(): TransportDescription {
    return { transport: 'wire' };
  }

  protected override open(signal: AbortSignal): Promise<void> {
    return this.whenOpening(signal);
  }

  protected override write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    this.written.push(message);
    return this.whenWriting(message, options);
  }

  protected override async shutDown(reason: TransportError | undefined): Promise<void> {
    this.shutDowns.push(reason);
    await this.whenShuttingDown();
  }
}

import type { Clock, JSONRPCMessage, TransportDescription, TransportError } from '@mcp-fittings/client-core';
import { BaseTransport, type Intake } from '@mcp-fittings/toolbox/base-transport';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createLineSocket, type LineSocket } from '../wire/line-socket.js';
import {
  controlLine,
  controlOf,
  fromWireError,
  isControlEvent,
  MAX_LINE_BYTES,
  WIRE_VERSION,
  type ControlEvent,
  type Opening,
} from '../wire/protocol.js';
import { connectToProcess, type SharedProcessCommand } from './connect.js';

export interface SharedTransportOptions {
  /** Called when the connection is opened, so that the environment is that of this moment. */
  readonly opening: () => Opening;
  readonly folder: string;
  readonly start: (() => SharedProcessCommand) | undefined;
  readonly startTimeoutMs: number;
  readonly server?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly onStderr?: ((line: string) => void) | undefined;
}

/** Room in a line for what is not its message. */
const ENVELOPE_BYTES = 1024 * 1024;

/** A connection to a server that the shared process runs. */
export class SharedTransport extends BaseTransport {
  readonly #options: SharedTransportOptions;
  readonly #lines: Intake<string>;
  #socket: LineSocket | undefined;
  #description: TransportDescription = {};
  #settle:
    | { readonly resolve: (isOpen: boolean) => void; readonly reject: (error: TransportError) => void }
    | undefined;

  constructor(options: SharedTransportOptions) {
    super({ server: options.server, signal: options.signal });
    this.#options = options;
    this.#lines = this.intake<string>((text) => this.#take(text));
  }

  /** Returns what is known about the server, and `shared: true`. */
  describe(): TransportDescription {
    return { ...this.#description, shared: true };
  }

  /** Tells the shared process too, which reads the messages of the server. */
  override setProtocolVersion(version: string): void {
    super.setProtocolVersion(version);
    this.#socket?.write(controlLine({ wire: WIRE_VERSION, version })).catch(() => undefined);
  }

  protected override async open(signal: AbortSignal): Promise<void> {
    const opening = this.#options.opening();
    // A process that ends because it is idle may accept one more connection, which it does not serve.
    if ((await this.#connect(opening, signal)) || (await this.#connect(opening, signal))) return;
    throw this.#processEnded();
  }

  /** Resolves with false if the connection ended before the shared process has answered. */
  async #connect(opening: Opening, signal: AbortSignal): Promise<boolean> {
    const { clock = systemClock, folder, start, startTimeoutMs } = this.#options;
    const connection = await connectToProcess({ folder, start, startTimeoutMs, clock, signal });
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      signal.addEventListener('abort', () => connection.destroy(), { once: true });
      const socket = createLineSocket({
        socket: connection,
        onLine: (text) => this.#lines.push(text),
        intake: this.#lines,
        maxBytes: Math.max(MAX_LINE_BYTES, (opening.launch.maxMessageBytes ?? 0) + ENVELOPE_BYTES),
        onEnd: () => this.#onEnd(),
      });
      this.#socket = socket;
      // `onEnd` says why.
      socket.write(controlLine({ wire: WIRE_VERSION, ...opening })).catch(() => undefined);
      if (signal.aborted) connection.destroy();
    });
  }

  protected override write(message: JSONRPCMessage): Promise<void> | undefined {
    return this.#socket?.write(`${this.encode(message)}\n`).catch((cause: unknown) => {
      throw this.ended
        ? this.lost('unknown')
        : this.error('CONNECTION_LOST', 'The shared process does not read.', { cause, delivery: 'unknown' });
    });
  }

  protected override async shutDown(reason: TransportError | undefined): Promise<void> {
    if (reason === undefined) this.#socket?.end();
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #take(text: string): void {
    const value: unknown = JSON.parse(text);
    const control = controlOf(value);
    if (control === undefined) return this.receive(value);
    if (isControlEvent(control)) this.#happened(control);
  }

  #happened(event: ControlEvent): void {
    const { server, onStderr } = this.#options;
    switch (event.event) {
      case 'opened':
        this.#description = event.description;
        this.#settle?.resolve(true);
        this.#settle = undefined;
        return;
      case 'failed':
        this.failRequest(event.id, fromWireError(event.error, server));
        return;
      case 'ended':
        if (event.description !== undefined) this.#description = event.description;
        return this.#ended(fromWireError(event.error, server));
      case 'report':
        return this.report(fromWireError(event.error, server));
      case 'stderr':
        this.markUnsolicited();
        return this.guard(() => onStderr?.(event.line));
    }
  }

  #onEnd(): void {
    this.flushIntakes();
    if (this.#settle === undefined) return this.fail(this.#processEnded());
    this.#settle.resolve(false);
    this.#settle = undefined;
  }

  #processEnded(): TransportError {
    return this.error('CONNECTION_LOST', 'The shared process that runs this server has ended.', {
      hint: 'Connect again: it is started on demand.',
    });
  }

  #ended(reason: TransportError): void {
    if (this.#settle === undefined) return this.fail(reason);
    this.#settle.reject(reason);
    this.#settle = undefined;
  }
}

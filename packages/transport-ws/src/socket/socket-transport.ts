import { sanitizeText, systemClock, type Clock } from '@mcp-fittings/client-core';
import {
  BaseTransport,
  isRequest,
  type JSONRPCMessage,
  type RequestId,
  type TransportError,
  type TransportFacts,
} from '@mcp-fittings/client-core/transport';
import type { RawData } from 'ws';
import { CLOSE, meaningOfClose } from './close-codes.js';
import { faultOfFrame } from './frame-errors.js';
import { startHeartbeat } from './heartbeat.js';
import { DEFAULT_CLOSE_TIMEOUT_MS, DEFAULT_MAX_QUEUED_BYTES } from './limits.js';
import type { OpenSocket } from './open-socket.js';
import { createOutbox, type Outbox } from './outbox.js';
import type { SocketOptions } from './socket-options.js';

export interface SocketTransportOptions extends SocketOptions {
  readonly server?: string | undefined;
  readonly source: SocketSource;
  readonly facts: TransportFacts;
  /** Aborted when the host gives up the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Where the open, paused socket comes from. `dial` rejects soon after `signal` is aborted. */
export type SocketSource =
  { readonly dial: (signal: AbortSignal) => Promise<OpenSocket> } | { readonly accepted: OpenSocket };

/** MCP over one WebSocket, whichever side opened it: one JSON-RPC message is one text message. */
export class SocketTransport extends BaseTransport {
  readonly #options: SocketTransportOptions;
  readonly #clock: Clock;
  readonly #ending = new AbortController();
  #open: OpenSocket | undefined;
  #outbox: Outbox | undefined;
  #heartbeat: Disposable | undefined;
  #closeCode: number = CLOSE.normal;
  #peerIsDead = false;
  #socketError: Error | undefined;

  constructor(options: SocketTransportOptions) {
    super({ server: options.server });
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  describe(): TransportFacts {
    return { ...this.#options.facts, protocol: this.#open?.webSocket.protocol, ...this.ignored };
  }

  /** For the server: whether anybody listens to the peer yet. */
  get isStarted(): boolean {
    return this.#open !== undefined;
  }

  /** For the server: what its close frame says when it ends the connection. */
  closeWith(code: number): Promise<void> {
    this.#closeCode = code;
    return this.close();
  }

  protected override async open(): Promise<void> {
    const { signal, maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES } = this.#options;
    if (signal?.aborted === true) throw this.#givenUp(signal);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    const { source } = this.#options;
    const open = 'accepted' in source ? source.accepted : await source.dial(this.#ending.signal);
    const { webSocket, socket } = open;
    this.#open = open;
    this.#outbox = createOutbox(webSocket, socket, {
      maxQueuedBytes,
      full: () =>
        this.error('SEND_QUEUE_FULL', `The peer does not read; ${maxQueuedBytes} bytes wait already.`, {
          delivery: 'not-sent',
          hint: 'Await each send, or raise `maxQueuedBytes`.',
        }),
      closing: () =>
        this.error('CONNECTION_LOST', 'The peer closes the connection.', { delivery: 'not-sent' }),
      lost: (cause) => this.asTransportError(this.#socketError ?? cause, 'CONNECTION_LOST', 'unknown'),
    });
    socket.once('error', (error) => (this.#socketError = error));
    webSocket.on('message', this.#onMessage);
    webSocket.on('error', (error) => this.#onError(error));
    webSocket.on('close', (code, reason) => this.#onClose(code, reason));
    if (webSocket.readyState === webSocket.CLOSED) {
      throw this.error('CONNECTION_LOST', 'The connection broke as soon as it was open.');
    }
    this.#startHeartbeat(open, this.#outbox);
    // Once `start()` has resolved and the engine listens.
    setImmediate(() => webSocket.resume());
  }

  protected override write(message: JSONRPCMessage): Promise<void> {
    const text = this.encode(message);
    // It is there as soon as the transport is open.
    if (this.#outbox === undefined) return Promise.reject(this.lost('not-sent'));
    return this.#outbox.send(text, isRequest(message) ? message.id : undefined);
  }

  protected override isUnsent(id: RequestId): boolean {
    return this.#outbox?.isWaiting(id) === true;
  }

  protected override async shutDown(reason: TransportError | undefined): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#heartbeat?.[Symbol.dispose]();
    this.#outbox?.end(this.lost('not-sent'));
    this.#ending.abort(reason ?? this.error('TRANSPORT_CLOSED', 'The transport was closed.'));
    const { source } = this.#options;
    const open = this.#open ?? ('accepted' in source ? source.accepted : undefined);
    if (open !== undefined) await this.#hangUp(open);
  }

  async #hangUp({ webSocket }: OpenSocket): Promise<void> {
    webSocket.off('message', this.#onMessage);
    if (webSocket.readyState === webSocket.CLOSED) return;
    const closed = new Promise((resolve) => webSocket.once('close', resolve));
    const { closeTimeoutMs = DEFAULT_CLOSE_TIMEOUT_MS } = this.#options;
    using _ = this.#clock.schedule(() => webSocket.terminate(), closeTimeoutMs);
    webSocket.resume();
    if (this.#peerIsDead) webSocket.terminate();
    else webSocket.close(this.#closeCode);
    await closed;
  }

  #startHeartbeat({ webSocket, socket }: OpenSocket, outbox: Outbox): void {
    const { heartbeat = {} } = this.#options;
    if (heartbeat === false) return;
    const pulse = {
      bytesReceived: () => socket.bytesRead,
      messagesFlushed: () => outbox.flushed,
      ping: (flushed: () => void) => {
        if (webSocket.readyState === webSocket.OPEN) webSocket.ping(undefined, undefined, flushed);
      },
    };
    this.#heartbeat = startHeartbeat(pulse, heartbeat, this.#clock, (silentMs) => {
      this.#peerIsDead = true;
      this.fail(
        this.error('CONNECTION_LOST', `The peer does not answer pings; it was silent for ${silentMs} ms.`, {
          details: { silentMs },
        }),
      );
    });
  }

  readonly #onMessage = (data: RawData, isBinary: boolean): void => {
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#closeCode = CLOSE.unsupportedData;
      this.fail(this.error('PROTOCOL_VIOLATION', 'The peer sent a binary message; MCP is text.'));
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(data.toString());
    } catch {
      const excerpt = sanitizeText(data.toString('utf8', 0, 256), { maxLength: 80 });
      this.reportCounted('MESSAGE_INVALID', () => `The peer sent a message that is not JSON: ${excerpt}`);
      return;
    }
    this.receive(value);
  };

  #onError(error: Error): void {
    const fault = faultOfFrame(error);
    if (fault === undefined) {
      this.fail(this.asTransportError(error, 'CONNECTION_LOST'));
      return;
    }
    this.#closeCode = fault.closeCode;
    this.fail(this.error(fault.error, fault.text, { cause: error, details: { closeCode: fault.closeCode } }));
  }

  #onClose(code: number, reason: Buffer): void {
    const [error, message, options] = meaningOfClose(code, reason.toString());
    this.fail(this.error(error, message, { ...options, cause: this.#socketError }));
  }

  readonly #onAbort = (): void => {
    const { signal } = this.#options;
    // An open connection is closed, with the code that the other transports give for it.
    if (this.#open !== undefined) void this.close();
    else if (signal !== undefined) this.fail(this.#givenUp(signal));
  };

  #givenUp(signal: AbortSignal): TransportError {
    return this.error('ABORTED', 'The host gave up the connection.', { cause: signal.reason });
  }
}

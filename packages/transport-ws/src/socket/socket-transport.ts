import type { Socket } from 'node:net';
import type { Clock, JSONRPCMessage, TransportDescription } from '@mcp-fittings/client-core';
import { afterTurn, BaseTransport, PacedSource } from '@mcp-fittings/toolbox/base-transport';
import { isRequest, parseJson } from '@mcp-fittings/toolbox/messages';
import { replyExcerpt } from '@mcp-fittings/toolbox/refusal';
import type { Redactor } from '@mcp-fittings/toolbox/text';
import { isRecent, systemClock } from '@mcp-fittings/toolbox/timing';
import type { RawData, WebSocket } from 'ws';
import { CLOSE, meaningOfClose } from './close-codes.js';
import { faultOfFrame } from './frame-errors.js';
import { startHeartbeat } from './heartbeat.js';
import { Outbox } from './outbox.js';
import {
  DEFAULT_CLOSE_TIMEOUT_MS,
  DEFAULT_MAX_PINGS,
  DEFAULT_MAX_QUEUED_BYTES,
  type WebSocketConnectionOptions,
} from './socket-options.js';

/** A WebSocket after its handshake, and its TCP or TLS socket. It is paused until its owner listens. */
export interface OpenSocket {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
  /** Removes secrets that the peer may repeat. Default: removes nothing. */
  readonly redact?: Redactor | undefined;
}

/** Options of both sides, and the socket. */
export interface SocketTransportOptions extends WebSocketConnectionOptions {
  readonly server?: string | undefined;
  readonly source: SocketSource;
  /** Members for `describe()`. */
  readonly description: TransportDescription;
  /** Closes the transport when aborted. */
  readonly signal?: AbortSignal | undefined;
}

const unchanged: Redactor = (text) => text;

/** Bytes of a malformed message that are searched for secrets before a part of it is shown. */
const EXCERPT_BYTES = 4096;

/** Provides the open, paused socket. `dial` rejects soon after `signal` is aborted. */
export type SocketSource =
  { readonly dial: (signal: AbortSignal) => Promise<OpenSocket> } | { readonly accepted: OpenSocket };

/** MCP over one WebSocket, for both sides: each JSON-RPC message is one text message. */
export class SocketTransport extends BaseTransport {
  readonly #options: SocketTransportOptions;
  readonly #clock: Clock;
  #open: OpenSocket | undefined;
  #outbox: Outbox | undefined;
  #onMessage: (data: RawData, isBinary: boolean) => void = () => undefined;
  #heartbeat: Disposable | undefined;
  #closeCode: number = CLOSE.normal;
  #peerIsDead = false;
  #socketError: Error | undefined;

  constructor(options: SocketTransportOptions) {
    super({ server: options.server, signal: options.signal });
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  describe(): TransportDescription {
    return { ...this.#options.description, protocol: this.#open?.webSocket.protocol, ...this.ignored };
  }

  /** For the server: whether `start()` was called, so that messages are read. */
  get isStarted(): boolean {
    return this.#open !== undefined;
  }

  /** For the server: closes the connection with this close code. */
  closeWith(code: number): Promise<void> {
    this.#closeCode = code;
    return this.close();
  }

  protected override get redact(): Redactor | undefined {
    return this.#open?.redact;
  }

  protected override async open(signal: AbortSignal): Promise<void> {
    const { source, maxQueuedBytes = DEFAULT_MAX_QUEUED_BYTES } = this.#options;
    const open = 'accepted' in source ? source.accepted : await source.dial(signal);
    const { webSocket, socket } = open;
    this.#open = open;
    this.#outbox = new Outbox(webSocket, socket, {
      maxQueuedBytes,
      controller: this,
      full: () =>
        this.error(
          'SEND_QUEUE_FULL',
          `The send queue is full: the peer has not read ${maxQueuedBytes} bytes.`,
          {
            delivery: 'not-sent',
            hint: 'Await each `send()`, or increase `maxQueuedBytes`.',
          },
        ),
      closing: () =>
        this.error('CONNECTION_LOST', 'The peer is closing the connection.', { delivery: 'not-sent' }),
      lost: (cause) => this.asTransportError(this.#socketError ?? cause, 'CONNECTION_LOST', 'unknown'),
    });
    socket.once('error', (error) => (this.#socketError = error));
    const reader = new PacedSource(this, {
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
    });
    this.#onMessage = (data, isBinary) => {
      reader.read(Buffer.isBuffer(data) ? data.length : 0, () => this.#take(data, isBinary));
    };
    webSocket.on('message', this.#onMessage);
    this.#limitPings(open);
    webSocket.on('error', (error) => this.#onError(error));
    webSocket.on('close', (code, reason) => this.#onClose(code, reason));
    if (webSocket.readyState === webSocket.CLOSED) {
      throw this.error('CONNECTION_LOST', 'The connection was lost as soon as it was open.');
    }
    this.#startHeartbeat(open, this.#outbox);
    // After `start()` has resolved and the engine listens.
    afterTurn(() => webSocket.resume());
  }

  protected override write(message: JSONRPCMessage): Promise<void> {
    const text = this.encode(message);
    // It exists as soon as the transport is open.
    if (this.#outbox === undefined) return Promise.reject(this.lost('not-sent'));
    return this.#outbox.send(text, isRequest(message) ? message.id : undefined);
  }

  protected override async shutDown(): Promise<void> {
    this.#heartbeat?.[Symbol.dispose]();
    this.#outbox?.end(this.lost('not-sent'));
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
        this.error('CONNECTION_LOST', `The peer did not answer a ping and was silent for ${silentMs} ms.`, {
          details: { silentMs },
        }),
      );
    });
  }

  /** `ws` answers each ping at once, so a peer could keep this process busy. */
  #limitPings({ webSocket }: OpenSocket): void {
    const { maxPings = DEFAULT_MAX_PINGS } = this.#options;
    const isAllowed = createPingLimit(maxPings, this.#clock);
    const count = (): void => {
      if (isAllowed()) return;
      webSocket.off('ping', count);
      webSocket.off('pong', count);
      // The close frame is sent, but nothing more is read.
      webSocket.close(CLOSE.policyViolation);
      this.#peerIsDead = true;
      this.fail(
        this.error('PROTOCOL_VIOLATION', `The peer sent more than ${maxPings} pings within 10 s.`, {
          hint: 'Report it to the operator of the server, or increase `maxPings`.',
          details: { closeCode: CLOSE.policyViolation, maxPings },
        }),
      );
    };
    webSocket.on('ping', count);
    webSocket.on('pong', count);
  }

  #take(data: RawData, isBinary: boolean): void {
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#closeCode = CLOSE.unsupportedData;
      this.fail(this.error('PROTOCOL_VIOLATION', 'The peer sent a binary message; MCP uses text messages.'));
      return;
    }
    const value = parseJson(data.toString());
    if (value !== undefined) return this.receive(value);
    // Longer than what is shown, so that a secret at the cut is found too.
    this.reportCounted('MESSAGE_INVALID', () => {
      const excerpt = replyExcerpt(data.toString('utf8', 0, EXCERPT_BYTES), this.redact ?? unchanged, 80);
      return `The peer sent a message that is not JSON: ${excerpt}`;
    });
  }

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
    const [error, message, options] = meaningOfClose(code, reason.toString(), this.redact ?? unchanged);
    this.fail(this.error(error, message, { ...options, cause: this.#socketError }));
  }
}

const WINDOW_MS = 10_000;

/** Returns a function that counts the control frames of a peer in windows of 10 seconds, without a timer, and says whether one is allowed. */
function createPingLimit(max: number, clock: Clock): () => boolean {
  let since = clock.now();
  let count = 0;
  return () => {
    const now = clock.now();
    if (!isRecent(since, WINDOW_MS, now)) {
      since = now;
      count = 0;
    }
    count += 1;
    return count <= max;
  };
}

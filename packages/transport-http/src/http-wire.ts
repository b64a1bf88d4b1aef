import {
  isRequest,
  isRequestId,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type Redactor,
  type Transport,
  type TransportController,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import { createLifetime, untilEnd, sleepWithin } from '@mcp-fittings/remote-policy';
import { roundTrip } from '@mcp-fittings/http-client';
import { isStateless } from './headers.js';
import { HttpConnection } from './http-connection.js';
import type { CheckedOptions } from './options.js';
import { OutgoingRequest } from './outgoing-request.js';
import { sendOneWay } from './send-one-way.js';
import { replayHandshake } from './session/replay-handshake.js';
import {
  createStandaloneStream,
  type StandaloneState,
  type StandaloneStream,
} from './stream/standalone-stream.js';

/** The transport that has the wire, with the handlers of the host. */
type WireOwner = TransportController & Pick<Transport, 'onsessionrestored' | 'onreconnect'>;

/** What a started transport consists of: it sends messages, keeps the session and its event stream, and ends both. */
export class HttpWire {
  readonly #transport: WireOwner;
  readonly #options: CheckedOptions;
  readonly #connection: HttpConnection;
  readonly #standalone: StandaloneStream;
  /** `notifications/initialized` waits for the event stream, so that no later announcement is missed. */
  #opensStream = false;

  constructor(options: CheckedOptions, transport: WireOwner) {
    this.#options = options;
    this.#transport = transport;
    const connection = new HttpConnection(options, transport);
    const { session } = connection;
    session.handlers = {
      replay: (lost) => replayHandshake(lost, connection),
      onIncompatible: (error) => transport.fail(error),
      onRestored: (result) => this.#restored(result),
    };
    this.#connection = connection;
    this.#standalone = createStandaloneStream(
      {
        onOpen: () => {
          if (!this.#opensStream) transport.guard(() => transport.onreconnect?.());
        },
        onSessionGone: () => session.restore(session.id),
      },
      connection,
    );
    connection.onAccepted = () => this.#standalone.noticeLife();
  }

  get redact(): Redactor {
    return this.#connection.redact;
  }

  /** Id of the session, once `initialize` has a result. It is a secret. */
  get sessionId(): string | undefined {
    return this.#connection.session.establishedId;
  }

  get eventStream(): StandaloneState {
    return this.#standalone.state;
  }

  /** Loads what the first request needs. */
  load(): Promise<void> {
    return this.#connection.network.load();
  }

  write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    return isRequest(message)
      ? new OutgoingRequest(message, options, this.#connection).run()
      : this.#sendOneWay(message, options);
  }

  async close(): Promise<void> {
    const { session, network } = this.#connection;
    if (session.id !== undefined && this.#options.closeTimeoutMs > 0) await this.#endSession(session.id);
    await network.close();
  }

  async #sendOneWay(
    message: Exclude<JSONRPCMessage, JSONRPCRequest>,
    options: TransportSendOptions,
  ): Promise<void> {
    let sent = false;
    const onSend = (): void => void (sent = true);
    try {
      await sendOneWay(
        { message, options, lifetime: this.#transport, session: 'current', onSend },
        this.#connection,
      );
      if (this.#transport.ended) throw this.#transport.lost(sent ? 'unknown' : 'not-sent');
    } finally {
      if ('method' in message && message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (isRequestId(id)) this.#connection.requests.get(id)?.end();
      }
    }
    if ('method' in message && message.method === 'notifications/initialized') await this.#openFirst();
  }

  /**
   * Resolves when the event stream is open or refused, so that a change announced meanwhile cannot overtake what the host reads
   * next. The wait is limited, for a server that answers the GET late.
   */
  async #openFirst(): Promise<void> {
    if (isStateless(this.#transport.protocolVersion)) return;
    const waiting = createLifetime(this.#transport);
    this.#opensStream = true;
    const opened = this.#standalone.start();
    await untilEnd(waiting, Promise.race([opened, sleepWithin(waiting, OPENING_MS, this.#options.clock)]));
    this.#opensStream = false;
    waiting.end();
  }

  /** Tells the server that the session is over. A server that refuses (405) or does not answer lets it expire. */
  async #endSession(sessionId: string): Promise<void> {
    const { credentials, network } = this.#connection;
    const { url, clock, closeTimeoutMs } = this.#options;
    const lifetime = createLifetime();
    const timer = clock.schedule(() => lifetime.end(), closeTimeoutMs);
    try {
      const signed = await untilEnd(lifetime, credentials.headers('DELETE'));
      const headers: Record<string, string> = { ...signed, 'mcp-session-id': sessionId };
      if (this.#transport.protocolVersion !== undefined)
        headers['mcp-protocol-version'] = this.#transport.protocolVersion;
      const request = { url, method: 'DELETE', headers, redirect: 'same-method' } as const;
      // Ending a session is not worth a second attempt.
      await roundTrip(
        network,
        { ...request, maxBodyBytes: 65_536, overflow: 'truncate' },
        lifetime,
        () => IGNORE_BODY,
      );
    } catch {
      // The session expires on the server.
    } finally {
      timer[Symbol.dispose]();
      lifetime.end();
    }
  }

  #restored(result: JSONRPCObject): void {
    const transport = this.#transport;
    transport.guard(() => transport.onsessionrestored?.(result));
    if (isStateless(transport.protocolVersion)) return;
    void this.#standalone.start().then(() => {
      // An open stream has called `onreconnect` itself.
      if (this.#standalone.state === 'none') transport.guard(() => transport.onreconnect?.());
    });
  }
}

const IGNORE_BODY = { data: () => undefined, end: () => undefined };

/** Longest wait for the event stream, in milliseconds. */
const OPENING_MS = 1000;

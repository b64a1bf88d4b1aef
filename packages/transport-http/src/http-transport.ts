import type {
  JSONRPCMessage,
  JSONRPCObject,
  JSONRPCRequest,
  TransportDescription,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { originOf } from '@mcp-fittings/toolbox/connect';
import { isRequest, isRequestId } from '@mcp-fittings/toolbox/messages';
import type { Redactor } from '@mcp-fittings/toolbox/text';
import { createLifetime, sleepWithin, untilEnd } from '@mcp-fittings/toolbox/timing';
import { isStateless } from './headers.js';
import { HttpConnection, type MessageClient } from './http-connection.js';
import type { CheckedOptions } from './options.js';
import { OutgoingRequest } from './outgoing-request.js';
import { sendOneWay } from './send-one-way.js';
import { StandaloneStream } from './stream/standalone-stream.js';

/** Longest wait for the event stream, in milliseconds. */
const OPENING_MS = 1000;
const IGNORE_BODY = { data: () => undefined, end: () => undefined };

/** Streamable HTTP in all protocol revisions, over any client. */
export class HttpTransport extends BaseTransport {
  /** Aborting the `requestSignal` of a request closes its stream, which cancels the request in the revision 2026-07-28. */
  readonly hasPerRequestStream = true;
  /** Each message is a POST with its own headers. */
  readonly sendsHeaders = true;
  declare readonly sessionId?: string;
  onsessionrestored?: (result: JSONRPCObject) => void;
  onreconnect?: () => void;

  readonly #options: CheckedOptions;
  readonly #connection: HttpConnection;
  readonly #standalone: StandaloneStream;
  /** `notifications/initialized` waits for the event stream, so that no later announcement is missed. */
  #opensStream = false;

  constructor(options: CheckedOptions, network: MessageClient) {
    super({ server: options.server, signal: options.signal });
    this.#options = options;
    const connection = new HttpConnection(options, network, this, (result) => this.#restored(result));
    this.#connection = connection;
    this.#standalone = new StandaloneStream(connection, () => {
      if (!this.#opensStream) this.guard(() => this.onreconnect?.());
    });
    // Not enumerable, because it is a secret and must not show in `util.inspect`.
    Object.defineProperty(this, 'sessionId', { get: () => connection.session.establishedId });
  }

  override describe(): TransportDescription {
    return {
      url: originOf(this.#options.shown),
      protocolVersion: this.protocolVersion,
      session: this.sessionId !== undefined,
      eventStream: this.#standalone.state,
      ...this.ignored,
    };
  }

  /** Loads the HTTP client: the engine sends a message as soon as the transport has started, and would wait for it then. */
  protected override open(): Promise<void> {
    return this.#connection.network.load();
  }

  protected override get redact(): Redactor {
    return this.#connection.redact;
  }

  protected override write(message: JSONRPCMessage, options: TransportSendOptions): Promise<void> {
    return isRequest(message)
      ? new OutgoingRequest(message, options, this.#connection).run()
      : this.#writeOneWay(message, options);
  }

  protected override async shutDown(): Promise<void> {
    const { session, network } = this.#connection;
    if (session.id !== undefined && this.#options.closeTimeoutMs > 0) await this.#endSession(session.id);
    await network.close();
  }

  async #writeOneWay(
    message: Exclude<JSONRPCMessage, JSONRPCRequest>,
    options: TransportSendOptions,
  ): Promise<void> {
    let sent = false;
    const onSend = (): void => void (sent = true);
    try {
      const outgoing = { message, options, lifetime: this, session: 'current', onSend } as const;
      await sendOneWay(outgoing, this.#connection);
      if (this.ended) throw this.lost(sent ? 'unknown' : 'not-sent');
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
    if (isStateless(this.protocolVersion)) return;
    const waiting = createLifetime(this);
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
      if (this.protocolVersion !== undefined) headers['mcp-protocol-version'] = this.protocolVersion;
      const request = { url, method: 'DELETE', headers, redirect: 'same-method' } as const;
      const limits = { maxBodyBytes: 65_536, overflow: 'truncate' } as const;
      // Ending a session is not worth a second attempt.
      await network.send({ ...request, ...limits }, lifetime, () => IGNORE_BODY);
    } catch {
      // The session expires on the server.
    } finally {
      timer[Symbol.dispose]();
      lifetime.end();
    }
  }

  #restored(result: JSONRPCObject): void {
    this.guard(() => this.onsessionrestored?.(result));
    if (isStateless(this.protocolVersion)) return;
    void this.#standalone.start().then(() => {
      // An open stream has called `onreconnect` itself.
      if (this.#standalone.state === 'none') this.guard(() => this.onreconnect?.());
    });
  }
}

import type { JSONRPCMessage, JSONRPCObject, TransportSendOptions } from '@mcp-fittings/client-core';
import {
  InFlight,
  PacedSource,
  type Pausable,
  type TransportController,
} from '@mcp-fittings/toolbox/base-transport';
import { createUtf8Decoder } from '@mcp-fittings/toolbox/framing';
import { isRequestId } from '@mcp-fittings/toolbox/messages';
import {
  RequestRedactor,
  type Credentials,
  type RecoveryOptions,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
  sendWithRecovery,
} from '@mcp-fittings/toolbox/refusal';
import { type Redactor, sanitizeText } from '@mcp-fittings/toolbox/text';
import type { Lifetime, LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { AcceptedReply, BodySink, HttpClient, ResponseHead } from '@mcp-fittings/http-client';
import { isStateless, messageHeaders, revisionOf, type MessageHeaders } from './headers.js';
import type { CheckedOptions } from './options.js';
import { isForgotten, speaksOfSession } from './session/forgotten.js';
import { replayHandshake } from './session/replay-handshake.js';
import { Session } from './session/session.js';
import { STATUS_TABLE, type HttpCondition } from './status-table.js';

/** One message to send, or one event stream to open. */
export interface HttpCall {
  readonly method: 'POST' | 'GET';
  readonly body?: string | undefined;
  /** Headers without credentials and session. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * `current`: it belongs to the session, and waits while that is restored. `new`: it is part of restoring the session. `none`: it
   * opens a session, or does not use one.
   */
  readonly session: 'current' | 'new' | 'none';
  /** True for `initialize`. */
  readonly handshake?: boolean | undefined;
  /** True if it may be sent again in a new session, where it means the same. */
  readonly survivesSession?: boolean | undefined;
  /** True if it may be carried out twice without harm, so that it is sent again to a busy server. */
  readonly safe: boolean;
  readonly lifetime: LifetimeSignal;
  /** Called before each attempt is sent. */
  readonly onSend?: (() => void) | undefined;
  /** Called with the head of a 2xx reply. */
  readonly accept: (head: ResponseHead) => BodySink | 'discard';
  /** Returns `true` if the refusal is an answer and has been delivered. */
  readonly settle?: ((refusal: Refusal) => boolean) | undefined;
  /** True if the reply may be an event stream, which is read event by event. */
  readonly eventStream?: boolean | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly overflow?: 'truncate' | undefined;
}

/** Exchanges the messages with the server; the way of an exchange is all that differs between the platforms. */
export type MessageClient = Pick<HttpClient, 'load' | 'send' | 'close'>;

/** Holds what all calls of one connection share: HTTP client, credentials, session, and the handling of received messages. */
export class HttpConnection {
  readonly options: CheckedOptions;
  readonly transport: TransportController;
  readonly network: MessageClient;
  readonly credentials: Credentials;
  readonly session: Session;
  readonly redactor: RequestRedactor;
  /** Decodes the body of a reply; returns undefined if it is not UTF-8. */
  readonly decode = createUtf8Decoder();
  /** Lifetime of each open request, so that it can be cancelled. */
  readonly requests = new InFlight<Lifetime>();
  /** Number of requests of the transport itself. An id occurs once in a session. */
  ownRequests = 0;
  /** Called when the server has accepted a message. */
  onAccepted: (() => void) | undefined;
  /** Reads an event stream at the pace of the transport. */
  readonly paced: (source: Pausable) => PacedSource;
  readonly #recovery: RecoveryOptions;
  /** Headers that depend on nothing but the revision: those of most messages. */
  #plain: { readonly revision: string | undefined; readonly headers: MessageHeaders } | undefined;

  /** @param onRestored Called with the new result of `initialize` when a lost session was restored. */
  constructor(
    options: CheckedOptions,
    network: MessageClient,
    transport: TransportController,
    onRestored: (result: JSONRPCObject) => void,
  ) {
    const { url, headers, clock } = options;
    this.options = options;
    this.transport = transport;
    this.network = network;
    this.credentials = options.credentials;
    this.redactor = new RequestRedactor(headers, url);
    this.paced = (source) => new PacedSource(transport, source);
    this.session = new Session({
      replay: (lost) => replayHandshake(lost, this),
      onIncompatible: (error) => transport.fail(error),
      onRestored,
    });
    const { retryLater, random } = options;
    this.#recovery = { credentials: this.credentials, redactor: this.redactor, retryLater, clock, random };
  }

  get redact(): Redactor {
    return this.redactor.redact;
  }

  /** Returns what `messageHeaders` does, without making the same headers for each message. */
  headersOf(message: JSONRPCMessage, options: TransportSendOptions): MessageHeaders {
    const revision = revisionOf(message) ?? this.transport.protocolVersion;
    if (options.headers !== undefined || isStateless(revision))
      return messageHeaders(message, revision, options);
    if (this.#plain === undefined || this.#plain.revision !== revision) {
      this.#plain = { revision, headers: messageHeaders(message, revision, options) };
    }
    return this.#plain.headers;
  }

  /**
   * Sends a call as `sendWithRecovery` does. If the server has forgotten the session, it is restored, and a call that may move to a
   * new session is sent again. Resolves when the reply has been read, or with `undefined` if the call ended first or its refusal was
   * an answer.
   */
  send(call: HttpCall): Promise<AcceptedReply | undefined> {
    return sendWithRecovery(new HttpAttempts(this, call), this.#recovery);
  }

  /** Reports received data that is not a JSON-RPC message. */
  reportMalformed(): void {
    this.transport.reportCounted(
      'MESSAGE_INVALID',
      () => 'The server sent data that is not a JSON-RPC message.',
    );
  }

  /** Reports a response that arrived in the reply to another request. */
  reportForeign(id: unknown): void {
    this.transport.reportCounted(
      'RESPONSE_UNEXPECTED',
      () => `The server sent a response with the id ${shown(id)} in the reply to another request.`,
    );
  }
}

function shown(id: unknown): string {
  return sanitizeText(JSON.stringify(id ?? null), { maxLength: 64 });
}

/** A call for `sendWithRecovery`, with its session. */
class HttpAttempts implements RemoteRequest<AcceptedReply> {
  readonly table = STATUS_TABLE;
  readonly what: string;
  readonly method: string;
  readonly safe: boolean;
  readonly lifetime: LifetimeSignal;
  readonly #connection: HttpConnection;
  readonly #call: HttpCall;
  /** Session id of the latest attempt. */
  #sessionId: string | undefined;
  #restored = false;

  constructor(connection: HttpConnection, call: HttpCall) {
    this.#connection = connection;
    this.#call = call;
    this.what = call.method;
    this.method = call.method;
    this.safe = call.safe;
    this.lifetime = call.lifetime;
  }

  before(): Promise<void> | undefined {
    return this.#call.session === 'current' ? this.#connection.session.restoring : undefined;
  }

  send(signed: Readonly<Record<string, string>>): Promise<AcceptedReply | RefusedReply | undefined> {
    const connection = this.#connection;
    const call = this.#call;
    // Not a spread: Node.js 20 makes a hidden class of its own for each object that is spread and then added to.
    const headers: Record<string, string> = Object.assign({}, call.fields, signed);
    this.#sessionId = call.session === 'none' ? undefined : connection.session.id;
    if (this.#sessionId !== undefined) {
      headers['mcp-session-id'] = this.#sessionId;
      connection.redactor.learnValue(this.#sessionId);
    }
    call.onSend?.();
    const request = {
      url: connection.options.url,
      method: call.method,
      headers,
      body: call.body,
      eventStream: call.eventStream,
      paced: call.eventStream === true ? connection.paced : undefined,
      maxBodyBytes: call.maxBodyBytes,
      overflow: call.overflow,
      redirect: 'same-method',
    } as const;
    return connection.network.send(request, call.lifetime, (head) => this.#accept(head));
  }

  conditions(): readonly HttpCondition[] {
    const { session } = this.#connection;
    const conditions: HttpCondition[] = [];
    if (this.#call.handshake === true) conditions.push('handshake');
    if (this.#call.method === 'GET') conditions.push('stream');
    if (this.#call.method === 'GET' && !session.hasStreamed) conditions.push('firstStream');
    if (this.#sessionId !== undefined) conditions.push('session');
    return conditions;
  }

  async settle(refusal: Refusal): Promise<'answered' | 'again' | undefined> {
    const call = this.#call;
    if (refusal.row.meaning !== 'gone' && !(await this.#isForgotten(refusal)))
      return call.settle?.(refusal) === true ? 'answered' : undefined;
    if (call.session !== 'current' || call.method !== 'POST' || this.#restored) return undefined;
    this.#restored = true;
    await this.#connection.session.restore(this.#sessionId);
    return call.survivesSession === true ? 'again' : undefined;
  }

  /** Finds out whether a request was refused because of its session, though its status does not say so. */
  async #isForgotten({ row, head: { status }, rpcError }: Refusal): Promise<boolean> {
    const { session } = this.#connection;
    const id = this.#sessionId;
    if (id === undefined || this.#call.survivesSession !== true || this.#restored) return false;
    // A 403 is about permissions, and an error for this request is about the request, unless it says otherwise.
    if (row.meaning !== 'refused' || status === 403 || (id === session.id && !session.isProven)) return false;
    if (isRequestId(rpcError?.id) && !speaksOfSession(rpcError.error.message)) return false;
    return isForgotten(id, { status, code: rpcError?.error.code }, this.#connection);
  }

  #accept(head: ResponseHead): BodySink | 'discard' | undefined {
    const { credentials, session, onAccepted } = this.#connection;
    credentials.observe(head);
    if (head.status < 200 || head.status > 299) return undefined;
    if (this.#call.session !== 'none') session.worked(this.#sessionId, this.#call.method);
    if (this.#call.method === 'POST') onAccepted?.();
    return this.#call.accept(head);
  }
}

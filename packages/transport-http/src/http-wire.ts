import {
  sanitizeText,
  type JSONRPCErrorResponse,
  type PacedSource,
  type Pausable,
  type Redactor,
  type RequestId,
  type TransportController,
} from '@mcp-fittings/client-core/transport';
import {
  createCredentials,
  createRequestRedactor,
  redactRpcError,
  sendWithRecovery,
  type Credentials,
  type Ending,
  type Lifetime,
  type RecoveryOptions,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
  type RequestRedactor,
} from '@mcp-fittings/remote-policy';
import {
  createNetwork,
  roundTrip,
  type AcceptedReply,
  type BodySink,
  type Network,
  type ResponseHead,
} from '@mcp-fittings/http-client';
import type { CheckedOptions } from './options.js';
import { Session } from './session/session.js';
import { STATUS_TABLE, type HttpFact } from './status-table.js';

/** One message, or the wish for an event stream, on its way to the server. */
export interface HttpCall {
  readonly method: 'POST' | 'GET';
  readonly body?: string | undefined;
  /** Without credentials and session. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * `current`: it belongs to the session, and waits while that is restored. `new`: it is part of the restoration.
   * `none`: it opens a session, or knows none.
   */
  readonly session: 'current' | 'new' | 'none';
  /** It is `initialize`. */
  readonly handshake?: boolean | undefined;
  /** It means the same in a new session, and may be sent again there. */
  readonly survivesSession?: boolean | undefined;
  /** It may be sent again when the server says that it is busy: to carry it out twice does no harm. */
  readonly safe: boolean;
  readonly lifetime: Ending;
  /** Called just before it goes on the wire, each time. */
  readonly onSend?: (() => void) | undefined;
  /** Called with the head of a reply 2xx. */
  readonly accept: (head: ResponseHead) => BodySink | 'discard';
  /** True: the refusal is an answer, and was dealt with. */
  readonly settle?: ((refusal: Refusal) => boolean) | undefined;
  /** The reply may be an event stream, which is read event by event. */
  readonly eventStream?: boolean | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly overflow?: 'truncate' | undefined;
}

/** What all calls of one connection share: the network, credentials, the session, and what is done with what comes in. */
export class HttpWire {
  readonly options: CheckedOptions;
  readonly transport: TransportController;
  readonly network: Network;
  readonly credentials: Credentials;
  readonly session: Session;
  readonly redactor: RequestRedactor;
  /** What is under way for each request, so that it can be given up. */
  readonly requests = new Map<RequestId, Lifetime>();
  /** Told each success of a message. */
  onAccepted: () => void = () => undefined;
  /** Reads an event stream at the pace of the transport. */
  readonly paced: (source: Pausable) => PacedSource;
  readonly #recovery: RecoveryOptions;

  constructor(options: CheckedOptions, transport: TransportController) {
    const { url, server, headers, clock } = options;
    this.options = options;
    this.transport = transport;
    this.network = createNetwork({
      ...options.network,
      url,
      server,
      headers,
      maxBodyBytes: options.maxMessageBytes,
      logger: options.network.logger ?? options.logger,
      clock,
    });
    this.credentials = createCredentials({
      url,
      server,
      provider: options.auth,
      authorization: headers['authorization'],
    });
    this.redactor = createRequestRedactor(headers, url);
    this.paced = (source) => transport.paced(source);
    this.session = new Session();
    const { retryLater, random } = options;
    this.#recovery = { credentials: this.credentials, redactor: this.redactor, retryLater, clock, random };
  }

  get redact(): Redactor {
    return this.redactor.redact;
  }

  /**
   * Sends a call as `sendWithRecovery` does; a forgotten session is restored, and what survives that is sent again. Settles
   * when the reply has been read; with nothing when the call ended before, or when its refusal was an answer.
   */
  send(call: HttpCall): Promise<AcceptedReply | undefined> {
    return sendWithRecovery(new HttpAttempts(this, call), this.#recovery);
  }

  /** A parsed JSON value came in. */
  receive(value: unknown): void {
    this.transport.receive(redactRpcError(value, this.redactor.redact));
  }

  /** What came in is not JSON, or not a JSON-RPC message. */
  reportMalformed(): void {
    this.transport.reportCounted('MESSAGE_INVALID', () => 'The server sent what is not a JSON-RPC message.');
  }

  /** A response came on the stream of a request that it does not answer. */
  reportForeign(id: unknown): void {
    this.transport.reportCounted(
      'RESPONSE_UNEXPECTED',
      () => `A reply held the answer to another request: ${shown(id)}`,
    );
  }
}

function shown(id: unknown): string {
  return sanitizeText(JSON.stringify(id ?? null), { maxLength: 64 });
}

/** What the official SDK answers when it does not know a session, in its examples and the servers made from them. */
const UNKNOWN_SESSION = -32_000;

/** A call as `sendWithRecovery` needs it, with what only Streamable HTTP knows: the session. */
class HttpAttempts implements RemoteRequest<AcceptedReply> {
  readonly table = STATUS_TABLE;
  readonly what: string;
  readonly method: string;
  readonly safe: boolean;
  readonly lifetime: Ending;
  readonly #wire: HttpWire;
  readonly #call: HttpCall;
  /** Of the latest attempt. */
  #sessionId: string | undefined;
  #restored = false;

  constructor(wire: HttpWire, call: HttpCall) {
    this.#wire = wire;
    this.#call = call;
    this.what = call.method;
    this.method = call.method;
    this.safe = call.safe;
    this.lifetime = call.lifetime;
  }

  before(): Promise<void> | undefined {
    return this.#call.session === 'current' ? this.#wire.session.restoring : undefined;
  }

  send(signed: Readonly<Record<string, string>>): Promise<AcceptedReply | RefusedReply | undefined> {
    const wire = this.#wire;
    const call = this.#call;
    const headers: Record<string, string> = { ...call.fields, ...signed };
    this.#sessionId = call.session === 'none' ? undefined : wire.session.id;
    if (this.#sessionId !== undefined) {
      headers['mcp-session-id'] = this.#sessionId;
      wire.redactor.learnValue(this.#sessionId);
    }
    call.onSend?.();
    const request = {
      url: wire.options.url,
      method: call.method,
      headers,
      body: call.body,
      eventStream: call.eventStream,
      paced: call.eventStream === true ? wire.paced : undefined,
      maxBodyBytes: call.maxBodyBytes,
      overflow: call.overflow,
      redirect: 'same-method',
    } as const;
    return roundTrip(wire.network, request, call.lifetime, (head) => this.#accept(head));
  }

  facts({ head }: RefusedReply, rpcError: JSONRPCErrorResponse | undefined): readonly HttpFact[] {
    const { session } = this.#wire;
    const facts: HttpFact[] = [];
    if (this.#call.handshake === true) facts.push('handshake');
    if (this.#call.method === 'GET') facts.push('stream');
    if (this.#call.method === 'GET' && !session.hasStreamed) facts.push('firstStream');
    if (this.#sessionId === undefined) return facts;
    facts.push('session');
    if (head.status === 400 && session.isProven && rpcError?.error.code === UNKNOWN_SESSION)
      facts.push('sessionRefused');
    return facts;
  }

  async settle(refusal: Refusal): Promise<'answered' | 'again' | undefined> {
    const call = this.#call;
    if (refusal.row.meaning !== 'gone') return call.settle?.(refusal) === true ? 'answered' : undefined;
    if (call.session !== 'current' || call.method !== 'POST' || this.#restored) return undefined;
    this.#restored = true;
    await this.#wire.session.restore(this.#sessionId);
    return call.survivesSession === true ? 'again' : undefined;
  }

  #accept(head: ResponseHead): BodySink | 'discard' | undefined {
    const { credentials, session, onAccepted } = this.#wire;
    credentials.observe(head);
    if (head.status < 200 || head.status > 299) return undefined;
    if (this.#call.session !== 'none') session.worked(this.#sessionId, this.#call.method);
    if (this.#call.method === 'POST') onAccepted();
    return this.#call.accept(head);
  }
}

import type { JSONRPCMessage } from '@mcp-fittings/client-core';
import type { TransportController } from '@mcp-fittings/toolbox/base-transport';
import { isRequest } from '@mcp-fittings/toolbox/messages';
import {
  createStatusTable,
  type Credentials,
  findInBandError,
  isSafeToRepeat,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
} from '@mcp-fittings/toolbox/refusal';
import type { LifetimeSignal } from '@mcp-fittings/toolbox/timing';
import type { AcceptedReply, HttpClient } from '@mcp-fittings/http-client';

/** One message and the connection that it belongs to. */
export interface PostOptions {
  readonly message: JSONRPCMessage;
  readonly network: Pick<HttpClient, 'send'>;
  readonly credentials: Credentials;
  readonly transport: TransportController;
  readonly lifetime: LifetimeSignal;
  /** URL that messages are posted to; undefined until the event stream has named it. */
  readonly endpoint: URL | undefined;
  /** Called with the JSON-RPC error that a refusal contains. */
  readonly onAnswer: (answer: unknown) => void;
}

const MESSAGE_TABLE = createStatusTable([]);
const HEADERS = { 'content-type': 'application/json' };
/** Bytes of a response that are read; only a refusal is of interest. */
const READ_BYTES = 64 * 1024;

/**
 * One message, for `sendWithRecovery`. It is accepted as soon as the status says so, whatever body follows, because the server
 * answers on the event stream.
 */
export class Post implements RemoteRequest<AcceptedReply> {
  readonly what = 'POST';
  readonly method = 'POST';
  readonly table = MESSAGE_TABLE;
  readonly safe: boolean;
  readonly lifetime: LifetimeSignal;
  readonly #options: PostOptions;
  readonly #body: string;
  #isSent = false;

  /** Throws `MESSAGE_UNSERIALIZABLE` if the message is not JSON. */
  constructor(options: PostOptions) {
    const { message, transport, lifetime } = options;
    this.#options = options;
    this.#body = transport.encode(message);
    this.safe = isSafeToRepeat(message);
    this.lifetime = lifetime;
    if (isRequest(message)) transport.markUnsent(message.id);
  }

  /** Tells whether it was sent at least once. `BaseTransport` knows this of requests only, not of notifications and responses. */
  get isSent(): boolean {
    return this.#isSent;
  }

  target(): URL | undefined {
    return this.#options.endpoint;
  }

  send(signed: Readonly<Record<string, string>>): Promise<AcceptedReply | RefusedReply | undefined> {
    const { message, network, credentials, transport, lifetime, endpoint } = this.#options;
    if (endpoint === undefined) return Promise.reject(transport.lost('not-sent'));
    this.#isSent = true;
    if (isRequest(message)) transport.markSent(message.id);
    const request = {
      url: endpoint,
      method: 'POST',
      headers: Object.assign({}, HEADERS, signed),
      body: this.#body,
      redirect: 'same-method',
      maxBodyBytes: READ_BYTES,
      overflow: 'truncate',
    } as const;
    return network.send(request, lifetime, (head) => {
      credentials.observe(head);
      return head.status >= 200 && head.status <= 299 ? 'discard' : undefined;
    });
  }

  settle(refusal: Refusal): Promise<'answered' | undefined> {
    // No revision without sessions uses this transport.
    const answer = findInBandError(this.#options.message, refusal, false);
    if (answer !== undefined) this.#options.onAnswer(answer);
    return Promise.resolve(answer && 'answered');
  }
}

import {
  isRequest,
  type JSONRPCMessage,
  type TransportController,
} from '@mcp-fittings/client-core/transport';
import {
  findInBandError,
  isSafeToRepeat,
  type Credentials,
  type LifetimeSignal,
  type Refusal,
  type RefusedReply,
  type RemoteRequest,
} from '@mcp-fittings/remote-policy';
import { roundTrip, type AcceptedReply, type HttpClient } from '@mcp-fittings/http-client';
import { MESSAGE_TABLE } from './status-table.js';

export interface PostOptions {
  readonly message: JSONRPCMessage;
  readonly network: Pick<HttpClient, 'exchange'>;
  readonly credentials: Credentials;
  readonly transport: TransportController;
  readonly lifetime: LifetimeSignal;
  /** Where messages go; undefined as long as no stream has said so. */
  readonly endpoint: URL | undefined;
  /** Takes the answer that a refusal holds. */
  readonly onAnswer: (answer: unknown) => void;
}

const HEADERS = { 'content-type': 'application/json' };
/** Of the answer to a message only a refusal is of interest, and only its beginning. */
const READ_BYTES = 64 * 1024;

/**
 * One message as `sendWithRecovery` needs it. It is accepted as soon as the head of the reply says so, whatever body follows:
 * the answer of the server comes on the stream.
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

  /** Throws `MESSAGE_UNSERIALIZABLE`. */
  constructor(options: PostOptions) {
    const { message, transport, lifetime } = options;
    this.#options = options;
    this.#body = transport.encode(message);
    this.safe = isSafeToRepeat(message);
    this.lifetime = lifetime;
    if (isRequest(message)) transport.markUnsent(message.id);
  }

  /** It went on the wire at least once. */
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
      headers: { ...HEADERS, ...signed },
      body: this.#body,
      redirect: 'same-method',
      maxBodyBytes: READ_BYTES,
      overflow: 'truncate',
    } as const;
    return roundTrip(network, request, lifetime, (head) => {
      credentials.observe(head);
      return head.status >= 200 && head.status <= 299 ? 'discard' : undefined;
    });
  }

  settle(refusal: Refusal): Promise<'answered' | undefined> {
    // This transport is older than the stateless revisions.
    const answer = findInBandError(this.#options.message, refusal, false);
    if (answer !== undefined) this.#options.onAnswer(answer);
    return Promise.resolve(answer && 'answered');
  }
}

import type { LifetimeSignal, RefusedReply } from '@mcp-fittings/remote-policy';
import type { Exchange, HttpRequest, HttpClient, ResponseHandler, ResponseHead } from '../http-client.js';

/** Receives the body of a reply as it arrives. */
export interface BodySink {
  /** The next decoded bytes. If it throws, the body ends there and the error becomes `broken` of the reply. */
  data(bytes: Uint8Array): void;
  /** The body is complete. If it throws, the error becomes `broken` of the reply. */
  end(): void;
}

/** A reply whose head was accepted; its body went to the sink. */
export interface AcceptedReply {
  /** Tells it from a refused reply. */
  readonly accepted: true;
  /** Status and headers. */
  readonly head: ResponseHead;
  /** Why the body is incomplete; `undefined` if it is complete. */
  readonly broken?: unknown;
}

/** Bytes of a refusal that are read: enough for a JSON-RPC error or an explanation. */
const REFUSAL_BYTES = 64 * 1024;

/**
 * Sends one HTTP request. Resolves when its reply has been read, or with `undefined` if `lifetime` ends first. Rejects if no
 * headers arrive; see {@link ResponseHandler.onError} for the codes.
 *
 * @param accept Called with the head of the reply. Returns the sink for the body; `'discard'` to resolve at once and ignore the
 * body; or `undefined` to refuse the reply, whose first 64 KiB are then read as text.
 */
export function roundTrip(
  network: Pick<HttpClient, 'exchange'>,
  request: HttpRequest,
  lifetime: LifetimeSignal,
  accept: (head: ResponseHead) => BodySink | 'discard' | undefined,
): Promise<AcceptedReply | RefusedReply | undefined> {
  const trip = new RoundTrip(accept);
  const exchange = network.exchange(request, trip);
  trip.exchange = exchange;
  trip.stay = lifetime.onEnd(() => {
    exchange.abort();
    trip.resolve(undefined);
  });
  return trip.reply;
}

class RoundTrip implements ResponseHandler {
  readonly reply: Promise<AcceptedReply | RefusedReply | undefined>;
  exchange: Exchange | undefined;
  /** Unregisters the task that runs at the end of the lifetime. */
  stay: (() => void) | undefined;
  resolve: (reply: AcceptedReply | RefusedReply | undefined) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  readonly #accept: (head: ResponseHead) => BodySink | 'discard' | undefined;
  #head: ResponseHead | undefined;
  #sink: BodySink | undefined;
  #refusal: Uint8Array[] | undefined;
  #refusalBytes = 0;

  constructor(accept: (head: ResponseHead) => BodySink | 'discard' | undefined) {
    this.#accept = accept;
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
  }

  onHeaders(head: ResponseHead): void {
    this.#head = head;
    try {
      const sink = this.#accept(head);
      if (sink === undefined) this.#refusal = [];
      else if (sink === 'discard') this.#discard(head);
      else this.#sink = sink;
    } catch (cause) {
      this.exchange?.abort();
      this.#broken(head, cause);
    }
  }

  onData(bytes: Uint8Array): void {
    if (this.#head === undefined) return;
    if (this.#refusal !== undefined) return this.#readRefusal(this.#head, this.#refusal, bytes);
    try {
      this.#sink?.data(bytes);
    } catch (cause) {
      this.exchange?.abort();
      this.#broken(this.#head, cause);
    }
  }

  onEnd(): void {
    const head = this.#head;
    if (head === undefined) return this.#settle(undefined);
    if (this.#refusal !== undefined) return this.#refused(head, this.#refusal);
    try {
      this.#sink?.end();
      this.#settle({ accepted: true, head });
    } catch (cause) {
      this.#broken(head, cause);
    }
  }

  onError(error: unknown): void {
    const head = this.#head;
    if (head === undefined) {
      this.stay?.();
      this.#reject(error);
    } else if (this.#refusal === undefined) this.#broken(head, error);
    else this.#refused(head, this.#refusal);
  }

  #readRefusal(head: ResponseHead, refusal: Uint8Array[], bytes: Uint8Array): void {
    refusal.push(bytes);
    this.#refusalBytes += bytes.length;
    if (this.#refusalBytes < REFUSAL_BYTES) return;
    this.exchange?.abort();
    this.#refused(head, refusal);
  }

  #refused(head: ResponseHead, chunks: readonly Uint8Array[]): void {
    const text = Buffer.concat(chunks).subarray(0, REFUSAL_BYTES).toString('utf8');
    this.#settle({ accepted: false, head, text });
  }

  /** The rest is read to keep the socket, except for an event stream, which may never end. */
  #discard(head: ResponseHead): void {
    if (head.contentType === 'text/event-stream') this.exchange?.abort();
    this.#settle({ accepted: true, head });
  }

  #broken(head: ResponseHead, cause: unknown): void {
    this.#settle({ accepted: true, head, broken: cause });
  }

  #settle(reply: AcceptedReply | RefusedReply | undefined): void {
    this.stay?.();
    this.resolve(reply);
  }
}

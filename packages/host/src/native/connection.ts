import {
  type Clock,
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type RequestId,
  type Transport,
} from '@mcp-fittings/client-core';
import { InFlight } from '@mcp-fittings/toolbox/base-transport';
import { answersId, isRecord, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { EngineRequestOptions } from '../contracts/engine.js';
import {
  abortedError,
  connectionError,
  otherError,
  rpcError,
  timeoutError,
  type FailedRequest,
} from '../engine/request-errors.js';
import { OpenRequest } from './open-request.js';

/** Options of one request. */
export interface SendOptions extends Omit<EngineRequestOptions, 'timeoutMs' | 'definition'> {
  /** Longest time without a response or progress, in milliseconds. Default: unlimited. */
  readonly timeoutMs?: number | undefined;
  /** Name of the request in error messages. Default: the method. */
  readonly what?: string | undefined;
  /** The request must not be canceled on the server, because it belongs to the handshake. */
  readonly isHandshake?: boolean | undefined;
  /** Id of the request. Default: the next number. */
  readonly id?: string | undefined;
  /** The request fails with `CONNECTION_LOST` when its own stream ends without a response. */
  readonly endsWithStream?: boolean | undefined;
}

/** Receives what the server sends on its own, and the end of the connection. The functions must not throw. */
export interface ConnectionEvents {
  request(id: RequestId, method: string, params: JSONRPCObject): void;
  /** Called with each notification except progress. */
  notification(method: string, params: JSONRPCObject): void;
  error(error: Error): void;
  /** Called once when the transport has ended, before open requests are rejected. */
  closed(): void;
}

export interface ConnectionOptions {
  readonly server: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly events: ConnectionEvents;
}

const NO_PARAMS: JSONRPCObject = Object.freeze({});

/** Requests and notifications of the host that revision 2026-07-28 does not have. */
const REMOVED_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'notifications/initialized',
  'notifications/roots/list_changed',
]);
/** Requests of the host that only revision 2026-07-28 has. */
const ADDED_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/**
 * JSON-RPC over one transport: matches responses with requests, enforces deadlines, cancels what is given up, and reports
 * progress.
 * @see https://www.jsonrpc.org/specification
 */
export class Connection {
  /**
   * Members of `_meta` of each message. Set for revision 2026-07-28, which also has a stream for each request where the transport
   * does.
   */
  envelope: Readonly<Record<string, unknown>> | undefined;
  readonly #server: string;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #events: ConnectionEvents;
  readonly #open = new InFlight<OpenRequest>();
  #lastId = 0;
  #isClosed = false;

  constructor({ server, transport, clock, events }: ConnectionOptions) {
    this.#server = server;
    this.#transport = transport;
    this.#clock = clock;
    this.#events = events;
    transport.onmessage = this.#receive;
    transport.onerror = (error) => events.error(error);
    transport.onclose = () => this.#end();
  }

  /** True if the transport has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Sends a request, and resolves with its result. Rejects with a `FittingsError` that has a `delivery`: with `CAPABILITY_MISSING` for a
   * method of the other era, which the server cannot know. An abort or a deadline cancels the request on the server.
   */
  request(method: string, params: JSONRPCObject, options: SendOptions): Promise<JSONRPCObject> {
    const { signal, onProgress, headers, isHandshake, endsWithStream } = options;
    if (isHandshake !== true && this.#isOfOtherEra(method)) return Promise.reject(this.#notSupported(method));
    if (this.#isClosed) return Promise.reject(connectionError(this.#failed(method, options), 'not-sent'));
    if (signal?.aborted === true)
      return Promise.reject(abortedError(this.#failed(method, options), signal.reason, 'not-sent'));
    const id = options.id ?? ++this.#lastId;
    const request = new OpenRequest(id, method, options, this.#clock);
    this.#open.set(id, request);
    request.start((reason) => this.#giveUp(request, reason));
    let sent = this.#enveloped(params);
    // The id is unique among the requests in flight, so it is the progress token too.
    if (onProgress !== undefined) sent = { ...sent, _meta: { ...sent._meta, progressToken: id } };
    const hasStreams = this.envelope !== undefined && this.#transport.hasPerRequestStream === true;
    try {
      this.#transport
        .send(
          { jsonrpc: '2.0', id, method, params: sent },
          {
            headers,
            requestSignal: hasStreams ? request.openStream() : undefined,
            ...(endsWithStream === true && { onRequestStreamEnd: () => this.#streamEnded(request) }),
          },
        )
        .catch((error: unknown) => this.#sendFailed(request, error));
    } catch (error) {
      this.#sendFailed(request, error);
    }
    return request.result;
  }

  /** Sends a notification; resolves when the transport has sent it. */
  async notify(
    method: string,
    params: JSONRPCObject,
    options: Pick<EngineRequestOptions, 'headers'> = {},
  ): Promise<void> {
    if (this.#isOfOtherEra(method)) throw this.#notSupported(method);
    const failed = { server: this.#server, transport: this.#transport, what: method };
    if (this.#isClosed) throw connectionError(failed, 'not-sent');
    try {
      await this.#transport.send({ jsonrpc: '2.0', method, params: this.#enveloped(params) }, options);
    } catch (error) {
      throw otherError(failed, error, 'PROTOCOL_VIOLATION');
    }
  }

  /** Sends the response to a request of the server. A failure is reported. */
  respond(message: JSONRPCMessage): void {
    if (this.#isClosed) return;
    this.#transport.send(message).catch((error: unknown) => {
      const failed = { server: this.#server, transport: this.#transport, what: 'the response' };
      if (!this.#isClosed) this.#events.error(otherError(failed, error, 'PROTOCOL_VIOLATION'));
    });
  }

  #isOfOtherEra(method: string): boolean {
    return (this.envelope === undefined ? ADDED_METHODS : REMOVED_METHODS).has(method);
  }

  #notSupported(method: string): FittingsError {
    const server = this.#server;
    return new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not support ${method}.`, {
      server,
      delivery: 'not-sent',
    });
  }

  #enveloped(params: JSONRPCObject): JSONRPCObject {
    const { envelope } = this;
    return envelope === undefined ? params : { ...params, _meta: { ...envelope, ...params._meta } };
  }

  readonly #receive = (message: JSONRPCMessage): void => {
    // The members are read as unknown, because not every transport validates what arrives.
    const { id, method, params }: { id?: unknown; method?: unknown; params?: unknown } = message;
    if (method !== undefined) return this.#receiveOther(id, method, params);
    const request = this.#find(id);
    // Given up meanwhile. What answers no request at all, the transport reports.
    if (request === undefined) return;
    const result: unknown = 'result' in message ? message.result : undefined;
    const error: unknown = 'error' in message ? message.error : undefined;
    this.#remove(request);
    if (error !== undefined) return request.reject(this.#toRpcError(request, error));
    if (isRecord(result)) return request.resolve(result);
    const text = `The server "${this.#server}" answered ${request.what} without a result.`;
    request.reject(
      new FittingsError('PROTOCOL_VIOLATION', text, { server: this.#server, delivery: 'unknown' }),
    );
  };

  /** Receives a request or a notification of the server. */
  #receiveOther(id: unknown, method: unknown, params: unknown): void {
    if (typeof method !== 'string') return this.#events.error(this.#violation('a message without a method'));
    const given: JSONRPCObject = isRecord(params) ? params : NO_PARAMS;
    if (typeof id === 'string' || typeof id === 'number') return this.#events.request(id, method, given);
    if (method === 'notifications/progress') return this.#receiveProgress(given);
    this.#events.notification(method, given);
  }

  #toRpcError(request: OpenRequest, error: unknown): FittingsError {
    const { code, message, data }: Readonly<Record<string, unknown>> = isRecord(error) ? error : {};
    const number = typeof code === 'number' ? code : RPC_CODES.internalError;
    const text = typeof message === 'string' ? message : '';
    return rpcError(this.#failedRequest(request), number, text, new JsonRpcError(number, text, data));
  }

  /** Returns the request with this id or progress token. Some servers return a number as text, as both SDKs accept. */
  #find(id: unknown): OpenRequest | undefined {
    if (typeof id !== 'string') return typeof id === 'number' ? this.#open.get(id) : undefined;
    const number = Number(id);
    return this.#open.get(id) ?? (answersId(id, number) ? this.#open.get(number) : undefined);
  }

  #receiveProgress(params: JSONRPCObject): void {
    const { progressToken: token, progress, total, message } = params;
    const request = this.#find(token);
    // It may have crossed the cancellation on the wire.
    if (request?.options.onProgress === undefined || !isFinite(progress)) return;
    request.restart();
    request.options.onProgress({
      progress,
      ...(isFinite(total) && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  #sendFailed(request: OpenRequest, error: unknown): void {
    if (this.#remove(request))
      request.reject(otherError(this.#failedRequest(request), error, 'PROTOCOL_VIOLATION'));
  }

  #streamEnded(request: OpenRequest): void {
    if (this.#remove(request)) request.reject(connectionError(this.#failedRequest(request), 'unknown'));
  }

  /** The caller has aborted the request, or a deadline has passed. */
  #giveUp(request: OpenRequest, reason: 'aborted' | 'timeout'): void {
    if (!this.#remove(request)) return;
    const failed = this.#failedRequest(request);
    const { stream, options, id } = request;
    if (stream !== undefined) stream.abort(options.signal?.reason);
    else if (options.isHandshake !== true) {
      const params = { requestId: id, reason: reason === 'aborted' ? 'aborted by the client' : 'timed out' };
      // The request is rejected anyway; that the cancellation could not be sent adds nothing.
      this.notify('notifications/cancelled', params).catch(() => undefined);
    }
    request.reject(
      reason === 'aborted'
        ? abortedError(failed, options.signal?.reason, 'unknown')
        : timeoutError(failed, undefined),
    );
  }

  /** Returns `false` if the request was settled before. */
  #remove(request: OpenRequest): boolean {
    request.stop();
    return this.#open.delete(request.id);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.closed();
    for (const request of this.#open.values()) {
      this.#remove(request);
      request.reject(connectionError(this.#failedRequest(request), 'unknown'));
    }
  }

  #failedRequest({ method, options }: OpenRequest): FailedRequest {
    return this.#failed(method, options);
  }

  #failed(method: string, { signal, what = method }: SendOptions): FailedRequest {
    return { server: this.#server, transport: this.#transport, signal, what };
  }

  #violation(what: string): FittingsError {
    return new FittingsError('PROTOCOL_VIOLATION', `The server "${this.#server}" sent ${what}.`, {
      server: this.#server,
    });
  }
}

/** JSON has no infinite numbers, but `1e999` becomes one. */
function isFinite(value: unknown): value is number {
  return Number.isFinite(value);
}

/** An error response of the server, as the cause of a `FittingsError`. */
export class JsonRpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.name = 'JsonRpcError';
    this.code = code;
    this.data = data;
  }
}

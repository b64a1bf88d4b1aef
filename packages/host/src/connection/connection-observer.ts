import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCRequest,
  RequestId,
  Transport,
  TransportDescription,
  TransportObserver,
  TransportSendOptions,
} from '@mcp-fittings/client-core';
import {
  isErrorResponse,
  isRecord,
  isRequest,
  isRequestId,
  isResponse,
  RPC_CODES,
} from '@mcp-fittings/toolbox/messages';
import { META } from '../native/protocol.js';
import type { TraceEvent, Tracer } from '../tracing.js';
import type { InboundLimit } from './inbound-limit.js';

export interface ConnectionObserverOptions {
  /** Name of the server. */
  readonly server: string;
  /** Type of the transport, such as `stdio`. */
  readonly type: string;
  readonly transport: Transport;
  readonly inbound: InboundLimit;
  readonly tracer: Tracer;
  /** Returns members for `_meta` of each request and notification. */
  readonly traceContext: (() => Readonly<Record<string, string>> | undefined) | undefined;
  /** Called before the first message is sent. */
  readonly onHandshake: () => void;
}

type Next = Parameters<TransportObserver['send']>[2];

/**
 * Sees all messages of one connection, whichever engine sends them and for whatever reason: bounds what the server sends on its own,
 * traces requests and notifications, and adds the trace context to their `_meta`.
 */
export class ConnectionObserver implements TransportObserver {
  /** URIs of resources that the server answered only after a second request with input of the user. */
  readonly askedAgain = new Set<string>();
  readonly connection: ConnectionToTrace;
  readonly #options: ConnectionObserverOptions;
  /** Requests that are traced and have no response yet. Created for the first one, which most connections never have. */
  #open: Map<RequestId, TraceEvent> | undefined;
  #hasSent = false;

  constructor(options: ConnectionObserverOptions) {
    this.#options = options;
    this.connection = new ConnectionToTrace(options.transport, options.type);
  }

  send(message: JSONRPCMessage, options: TransportSendOptions, next: Next): Promise<void> | undefined {
    if (!this.#hasSent) {
      this.#hasSent = true;
      this.#options.onHandshake();
    }
    if (!('method' in message)) return undefined;
    if (message.method === 'resources/read') this.#noteSecondRead(message.params);
    const { tracer, traceContext } = this.#options;
    if (tracer.isActive('request')) return this.#trace(message, options, next);
    return traceContext === undefined ? undefined : next(this.#withContext(message), options);
  }

  receive(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!this.#options.inbound.passes(message, this.#options.transport)) return undefined;
    if (this.#open !== undefined && this.#open.size > 0 && isResponse(message)) this.#traceResponse(message);
    return message;
  }

  /** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
  #noteSecondRead({ uri, inputResponses, requestState }: JSONRPCObject = {}): void {
    if (typeof uri === 'string' && (inputResponses !== undefined || requestState !== undefined))
      this.askedAgain.add(uri);
  }

  async #trace(
    message: JSONRPCRequest | JSONRPCNotification,
    options: TransportSendOptions,
    next: Next,
  ): Promise<void> {
    const { server, tracer } = this.#options;
    const { connection } = this;
    const { method, params } = message;
    const requestId = isRequest(message) ? message.id : undefined;
    if (method === 'notifications/cancelled') this.#noteCancellation(params);
    // Each message to a stateless server has the revision, the probe included, which finds out whether it is one.
    const version = params?._meta?.[META.protocolVersion];
    if (typeof version === 'string' && method !== 'server/discover') connection.protocolVersion = version;
    const traced: TraceEvent = { server, method, target: targetOf(params), requestId, connection };
    const open = (this.#open ??= new Map());
    if (requestId !== undefined) open.set(requestId, traced);
    try {
      await tracer.trace('request', traced, async () => {
        try {
          await next(this.#withContext(message), options);
          if (requestId !== undefined && traced.response === undefined) traced.givenUp ??= 'ABORTED';
        } catch (error) {
          const { requestSignal } = options;
          if (requestSignal?.aborted === true) traced.givenUp ??= whyGivenUp(requestSignal.reason);
          throw error;
        }
      });
    } finally {
      if (requestId !== undefined && open.get(requestId) === traced) open.delete(requestId);
    }
  }

  #withContext(message: JSONRPCRequest | JSONRPCNotification): JSONRPCMessage {
    const added = this.#contextNow();
    if (added === undefined) return message;
    const { params } = message;
    // What the caller gave takes precedence.
    return { ...message, params: { ...params, _meta: { ...added, ...params?._meta } } };
  }

  #contextNow(): Readonly<Record<string, string>> | undefined {
    try {
      return this.#options.traceContext?.();
    } catch {
      // A request is worth more than its trace.
      return undefined;
    }
  }

  #noteCancellation(params: JSONRPCObject | undefined): void {
    const id = params?.['requestId'];
    const traced = isRequestId(id) ? this.#open?.get(id) : undefined;
    if (traced !== undefined) traced.givenUp = whyGivenUp(params?.['reason']);
  }

  #traceResponse(message: JSONRPCMessage): void {
    if (!isResponse(message)) return;
    const traced = isRequestId(message.id) ? this.#open?.get(message.id) : undefined;
    if (traced === undefined) return;
    if (isErrorResponse(message)) {
      traced.response = { error: readError(message.error), isToolError: false };
      return;
    }
    const { result } = message;
    const version: unknown = isRecord(result) ? result['protocolVersion'] : undefined;
    if (traced.method === 'initialize' && typeof version === 'string')
      this.connection.protocolVersion = version;
    const isToolError = traced.method === 'tools/call' && isRecord(result) && result['isError'] === true;
    traced.response = { isToolError };
  }
}

class ConnectionToTrace implements NonNullable<TraceEvent['connection']> {
  readonly type: string;
  protocolVersion: string | undefined;
  readonly #transport: Transport;
  #description: TransportDescription | undefined;

  constructor(transport: Transport, type: string) {
    this.#transport = transport;
    this.type = type;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  get description(): TransportDescription {
    return (this.#description ??= this.#transport.describe?.() ?? {});
  }
}

/** The server may send anything. */
function readError(error: unknown): NonNullable<TraceEvent['response']>['error'] {
  const { code, message }: Readonly<Record<string, unknown>> = isRecord(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : RPC_CODES.internalError,
    message: typeof message === 'string' ? message : '',
  };
}

/** Returns the tool, prompt or URI that a request names. */
function targetOf(params: JSONRPCObject | undefined): string | undefined {
  if (params === undefined) return undefined;
  const { name, uri, ref } = params;
  const given: unknown = name ?? uri ?? (isRecord(ref) ? (ref['name'] ?? ref['uri']) : undefined);
  return typeof given === 'string' ? given : undefined;
}

/** What engines, and the deadlines of this package, give as the reason of a time-out. */
const TIMED_OUT = /TimeoutError|timed out|timeout/i;

/** The engine knows why it gave up a request; the wire only has the reason that the engine states. */
function whyGivenUp(reason: unknown): 'TIMEOUT' | 'ABORTED' {
  return TIMED_OUT.test(String(reason)) ? 'TIMEOUT' : 'ABORTED';
}

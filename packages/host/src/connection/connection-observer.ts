import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type TransportDescription,
  type TransportObserver,
  type TransportSendOptions,
} from '@mcp-fittings/client-core';
import {
  isErrorResponse,
  isRecord,
  isRequest,
  isRequestId,
  isResponse,
  RPC_CODES,
  META,
} from '@mcp-fittings/toolbox/messages';
import { RateLimit } from '../limiters.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { TraceEvent, Tracer } from '../tracing.js';

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

/** Matches the reason of a time-out from engines and from the deadlines of this package. */
const TIMED_OUT = /TimeoutError|timed out|timeout/i;

/** The engine knows why it gave up a request; the wire only has the reason that the engine states. */
function whyGivenUp(reason: unknown): 'TIMEOUT' | 'ABORTED' {
  return TIMED_OUT.test(String(reason)) ? 'TIMEOUT' : 'ABORTED';
}

export interface InboundLimitDeps {
  /** Called for list changes over the limit: dropping one would leave a stale list. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
  /** Called for updates of resources over the limit: any resource may have changed. */
  readonly onResourceUpdated: () => void;
  /** Called when messages exceed the limit, at most once a second. */
  readonly onFlood: (error: FittingsError) => void;
}

type InboundKind = 'request' | 'progress' | 'list' | 'notification';

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
/** Most refusals that wait to be sent. A server that sends requests and does not read gets no more. */
const MAX_REFUSALS = 64;

type Shared = Pick<ServerDeps, 'server' | 'clock' | 'limits'>;

/**
 * Bounds what one server may send on its own, over all its connections: counts requests, progress, list changes and other notifications
 * separately. Responses are never dropped.
 */
export class InboundLimit {
  readonly #shared: Shared;
  readonly #deps: InboundLimitDeps;
  readonly #rates: Readonly<Record<InboundKind, RateLimit>>;
  readonly #reports: RateLimit;
  #refusals = 0;

  constructor(shared: Shared, deps: InboundLimitDeps) {
    const { clock, limits } = shared;
    const perSecond = limits.eventsPerSecond;
    this.#shared = shared;
    this.#deps = deps;
    this.#rates = {
      request: new RateLimit(clock, perSecond),
      progress: new RateLimit(clock, perSecond),
      list: new RateLimit(clock, perSecond),
      notification: new RateLimit(clock, perSecond),
    };
    this.#reports = new RateLimit(clock, 1);
  }

  /** Returns whether a message that arrived over this transport is within the limit. Refuses a request that is not. */
  passes(message: unknown, transport: Transport): boolean {
    if (!isRecord(message) || typeof message['method'] !== 'string') return true;
    const { id, method } = message;
    const kind = kindOf(method, id);
    if (this.#rates[kind].allow()) return true;
    const list = LIST_CHANGED.exec(method)?.[1];
    if (kind === 'list' && isListKind(list)) this.#deps.onListChanged(list);
    else if (kind === 'request' && isRequestId(id)) this.#refuse(transport, id);
    else if (method === 'notifications/resources/updated') this.#deps.onResourceUpdated();
    if (kind !== 'list' && this.#reports.allow()) {
      const { server, limits } = this.#shared;
      const perSecond = limits.eventsPerSecond;
      const text = `The server "${server}" sent more than ${perSecond} ${kind} messages in a second; the rest was dropped.`;
      this.#deps.onFlood(new FittingsError('PROTOCOL_VIOLATION', text, { server }));
    }
    return false;
  }

  #refuse(transport: Transport, id: string | number): void {
    if (this.#refusals >= MAX_REFUSALS) return;
    this.#refusals++;
    const error = { code: RPC_CODES.internalError, message: 'Too many requests in one second.' };
    void transport
      .send({ jsonrpc: '2.0', id, error })
      .catch(() => undefined)
      .finally(() => this.#refusals--);
  }
}

function kindOf(method: string, id: unknown): InboundKind {
  if (id !== undefined) return 'request';
  if (method === 'notifications/progress') return 'progress';
  return LIST_CHANGED.test(method) ? 'list' : 'notification';
}

function isListKind(kind: string | undefined): kind is 'tools' | 'prompts' | 'resources' {
  return kind === 'tools' || kind === 'prompts' || kind === 'resources';
}

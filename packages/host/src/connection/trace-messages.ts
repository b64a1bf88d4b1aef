import { isRecord } from '@mcp-fittings/client-core';
import {
  isErrorResponse,
  isRequest,
  isRequestId,
  isResponse,
  RPC_CODES,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
  type Transport,
  type TransportDescription,
  type TransportSendOptions,
} from '@mcp-fittings/client-core/transport';
import type { TransportObserver } from '../contracts/transport-observer.js';
import type { TracedConnection, TracedResponse, TraceEvent, Tracer } from '../tracing.js';

export interface TraceMessagesOptions {
  /** Name of the server. */
  readonly server: string;
  /** Type of the transport, such as `stdio`. */
  readonly type: string;
  readonly tracer: Tracer;
  /** Returns members for `_meta` of each request and notification. */
  readonly traceContext: (() => Readonly<Record<string, string>> | undefined) | undefined;
}

export interface MessageTracing {
  /** Sees the responses. Add it to the observers of the transport. */
  readonly observer: TransportObserver;
  readonly connection: TracedConnection;
}

/**
 * Traces each request and notification that goes to this transport, and adds the trace context to its `_meta`, whichever engine
 * sends it and for whatever reason. Call it before anything else wraps the transport.
 */
export function traceMessages(transport: Transport, options: TraceMessagesOptions): MessageTracing {
  const { server, tracer, traceContext } = options;
  /** Requests that are traced and have no response yet. Created for the first one, which most connections never have. */
  let open: Map<RequestId, TraceEvent> | undefined;
  const connection = new ConnectionToTrace(transport, options.type);
  const send = transport.send.bind(transport);

  const contextNow = (): Readonly<Record<string, string>> | undefined => {
    try {
      return traceContext?.();
    } catch {
      // A request is worth more than its trace.
      return undefined;
    }
  };

  const withContext = (message: JSONRPCRequest | JSONRPCNotification): JSONRPCMessage => {
    const added = contextNow();
    if (added === undefined) return message;
    const { params } = message;
    // What the caller gave takes precedence.
    return { ...message, params: { ...params, _meta: { ...added, ...params?._meta } } };
  };

  const trace = async (
    message: JSONRPCRequest | JSONRPCNotification,
    sendOptions: TransportSendOptions | undefined,
  ): Promise<void> => {
    const { method, params } = message;
    const requestId = isRequest(message) ? message.id : undefined;
    if (method === 'notifications/cancelled') noteCancellation(params);
    const traced: TraceEvent = { server, method, target: targetOf(params), requestId, connection };
    if (requestId !== undefined) (open ??= new Map()).set(requestId, traced);
    try {
      await tracer.trace('request', traced, async () => {
        try {
          await send(withContext(message), sendOptions);
          if (requestId !== undefined && traced.response === undefined) traced.givenUp ??= 'ABORTED';
        } catch (error) {
          const { requestSignal } = sendOptions ?? {};
          if (requestSignal?.aborted === true) traced.givenUp ??= whyGivenUp(requestSignal.reason);
          throw error;
        }
      });
    } finally {
      if (requestId !== undefined && open?.get(requestId) === traced) open.delete(requestId);
    }
  };

  const noteCancellation = (params: JSONRPCObject | undefined): void => {
    const id = params?.['requestId'];
    const traced = isRequestId(id) ? open?.get(id) : undefined;
    if (traced !== undefined) traced.givenUp = whyGivenUp(params?.['reason']);
  };

  transport.send = (message, sendOptions) => {
    if (traceContext === undefined && !tracer.isActive('request')) return send(message, sendOptions);
    if (!('method' in message)) return send(message, sendOptions);
    if (!tracer.isActive('request')) return send(withContext(message), sendOptions);
    return trace(message, sendOptions);
  };

  return {
    connection,
    observer: {
      received(message) {
        if (open === undefined || open.size === 0 || !isResponse(message) || !isRequestId(message.id))
          return message;
        const traced = open.get(message.id);
        if (traced === undefined) return message;
        if (isErrorResponse(message)) {
          traced.response = { error: readError(message.error), isToolError: false };
          return message;
        }
        const { result } = message;
        const version: unknown = isRecord(result) ? result['protocolVersion'] : undefined;
        if (traced.method === 'initialize' && typeof version === 'string')
          connection.protocolVersion = version;
        const isToolError = traced.method === 'tools/call' && isRecord(result) && result['isError'] === true;
        traced.response = { isToolError };
        return message;
      },
      negotiated(version) {
        connection.protocolVersion = version;
      },
    },
  };
}

class ConnectionToTrace implements TracedConnection {
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
function readError(error: unknown): NonNullable<TracedResponse['error']> {
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

/** What the SDKs, and the deadlines of this package, give as the reason of a time-out. */
const TIMED_OUT = /TimeoutError|timed out|timeout/i;

/** The engine knows why it gave up a request; the wire only has the reason that the engine states. */
function whyGivenUp(reason: unknown): 'TIMEOUT' | 'ABORTED' {
  return TIMED_OUT.test(String(reason)) ? 'TIMEOUT' : 'ABORTED';
}

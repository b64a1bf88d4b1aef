import { isRecord } from '@mcp-fittings/client-core';
import {
  isNotification,
  isRequest,
  isResponse,
  isResultResponse,
  RPC_CODES,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type JSONRPCResponse,
  type JSONRPCResultResponse,
  type RequestId,
  type Transport,
} from '@mcp-fittings/client-core/transport';
import { measure, type Bounds } from './measure.js';

/**
 * The least that both SDKs accept as the result of these methods. It takes the place of what the server sent, because
 * the SDKs judge a result as a whole: one flawed tool would cost the list, one unknown content block the result.
 */
const STAND_INS: ReadonlyMap<string, JSONRPCObject> = new Map([
  ['tools/list', { tools: [] }],
  ['prompts/list', { prompts: [] }],
  ['resources/list', { resources: [] }],
  ['resources/templates/list', { resourceTemplates: [] }],
  ['tools/call', { content: [] }],
  ['prompts/get', { messages: [] }],
  ['resources/read', { contents: [] }],
]);

/** What a server says of itself: it is kept, compared and digested, and an SDK checks it as a whole. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const HANDSHAKE_BOUNDS: Bounds = { maxNodes: 10_000, maxDepth: 50, maxBytes: 1_048_576 };

/** Under this member of `_meta` the stand-in carries what the server sent. */
const RAW = 'com.mcp-fittings/raw';

/** What the SDKs, or the handlers that the engines set, take care of. */
const HANDLED: ReadonlySet<string> = new Set([
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/progress',
  'notifications/cancelled',
  'notifications/subscriptions/acknowledged',
]);

export interface TapOptions {
  /** Told of each notification that neither the SDK nor the engine handles. */
  readonly onNotification: (notification: JSONRPCNotification) => void;
  /** Sees each message before the SDK; true: the SDK does not get it. */
  readonly takes?: ((message: JSONRPCMessage) => boolean) | undefined;
}

/**
 * Reads along on a transport before an SDK does, whatever handler the SDK sets and however often. Call it before the SDK
 * gets the transport.
 */
export function tapTransport(transport: Transport, { onNotification, takes }: TapOptions): void {
  /** Which method each request has whose result is read here. */
  const asked = new Map<RequestId, string>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isRequest(message)) {
      if (STAND_INS.has(message.method) || HANDSHAKE.has(message.method))
        asked.set(message.id, message.method);
    } else if (isNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') asked.delete(id);
    }
    const sent = send(message, options);
    // An answer that can't come any more is waited for no more.
    if (isRequest(message)) sent.catch(() => asked.delete(message.id));
    return sent;
  };

  let theirs = transport.onmessage;
  const hand: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (takes?.(message) === true) return;
    if (isNotification(message) && !HANDLED.has(message.method)) onNotification(message);
    theirs?.(isResponse(message) ? forSdk(message, asked) : message, extra);
  };
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    // Without a handler of the SDK the transport must see that there is none.
    get: () => (theirs === undefined ? undefined : hand),
    set(handler: Transport['onmessage']) {
      theirs = handler === hand ? theirs : handler;
    },
  });
}

/** The response as the SDK is to see it. */
function forSdk(message: JSONRPCResponse, asked: Map<RequestId, string>): JSONRPCResponse {
  if (message.id === undefined || !isResultResponse(message)) return message;
  const { id, result: raw } = message;
  const method = asked.get(id) ?? '';
  asked.delete(id);
  if (HANDSHAKE.has(method)) return withinBounds(message, method);
  const standIn = STAND_INS.get(method);
  // Asks for input first (2026-07-28): the SDK answers that, and the result comes later under another id.
  if (standIn === undefined || raw['resultType'] === 'input_required') return message;
  const result = {
    ...standIn,
    ...('resultType' in raw && { resultType: raw['resultType'] }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [RAW]: raw },
  };
  return { jsonrpc: '2.0', id, result };
}

function withinBounds(message: JSONRPCResultResponse, method: string): JSONRPCResponse {
  const { problem } = measure(message.result, HANDSHAKE_BOUNDS);
  if (problem === undefined) return message;
  const error = { code: RPC_CODES.invalidRequest, message: `The answer to ${method} ${problem}.` };
  return { jsonrpc: '2.0', id: message.id, error };
}

/** What the server sent, for a result that an SDK gave. */
export function rawOf(result: Readonly<Record<string, unknown>>): JSONRPCObject {
  const meta = result['_meta'];
  const raw = isRecord(meta) ? meta[RAW] : undefined;
  return isRecord(raw) ? raw : { ...result };
}

import { isRecord } from '@mcp-fittings/client-core';
import {
  isNotification,
  isRequest,
  isResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type RequestId,
  type Transport,
} from '@mcp-fittings/client-core/transport';

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
      if (STAND_INS.has(message.method)) asked.set(message.id, message.method);
    } else if (isNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (typeof id === 'string' || typeof id === 'number') asked.delete(id);
    }
    const sent = send(message, options);
    if (isRequest(message)) sent.catch(() => asked.delete(message.id));
    return sent;
  };

  let theirs = transport.onmessage;
  const hand: NonNullable<Transport['onmessage']> = (message, extra) => {
    if (takes?.(message) === true) return;
    if (isNotification(message) && !HANDLED.has(message.method)) onNotification(message);
    theirs?.(isResponse(message) ? withStandIn(message, asked) : message, extra);
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

function withStandIn<Message extends JSONRPCMessage>(
  message: Message,
  asked: Map<RequestId, string>,
): Message | JSONRPCMessage {
  if (!('id' in message) || message.id === undefined) return message;
  const method = asked.get(message.id);
  asked.delete(message.id);
  const standIn = method === undefined ? undefined : STAND_INS.get(method);
  if (standIn === undefined || !('result' in message)) return message;
  const raw: unknown = message.result;
  // Asks for input first (2026-07-28): the SDK answers that, and the result comes later under another id.
  if (!isRecord(raw) || raw['resultType'] === 'input_required') return message;
  const result = {
    ...standIn,
    ...('resultType' in raw && { resultType: raw['resultType'] }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [RAW]: raw },
  };
  return { jsonrpc: '2.0', id: message.id, result };
}

/** What the server sent, for a result that an SDK gave. */
export function rawOf(result: Readonly<Record<string, unknown>>): JSONRPCObject {
  const meta = result['_meta'];
  const raw = isRecord(meta) ? meta[RAW] : undefined;
  return isRecord(raw) ? raw : { ...result };
}

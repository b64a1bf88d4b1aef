import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCResponse,
  JSONRPCResultResponse,
  RequestId,
} from '@mcp-fittings/client-core';
import {
  isNotification,
  isRecord,
  isRequest,
  isResponse,
  isResultResponse,
} from '@mcp-fittings/toolbox/messages';
import { acceptableHandshake, isHandshake } from './handshake-results.js';
import type { MessageObserver } from './sdk-transport.js';

/** Member of `_meta` in which a stand-in carries the result that the server sent. */
const RAW = 'com.mcp-fittings/raw';

/** Notifications that the SDKs, or the handlers of the engines, process. */
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

export interface RawResultsOptions {
  /** Called with each notification that neither the SDK nor the engine handles. */
  readonly onNotification: (notification: JSONRPCNotification) => void;
  /**
   * For an SDK that validates results as a whole, so that one malformed tool would fail the list, and one unknown content
   * block the result: the smallest result that it accepts for each method that is read here. `undefined` if it accepts any.
   */
  readonly leastResults?: (() => ReadonlyMap<string, JSONRPCObject> | undefined) | undefined;
}

/**
 * Keeps an SDK from validating results: it receives a stand-in that carries the result of the server, see {@link rawOf}. A
 * result of which it reads nothing is passed on unchanged. Answers to the handshake are bounded, and their gaps are closed.
 */
export function observeResults({ onNotification, leastResults }: RawResultsOptions): MessageObserver {
  /** Methods of the open requests whose result is processed here, by id. */
  const asked = new Map<RequestId, string>();

  const forSdk = (message: JSONRPCResultResponse): JSONRPCResponse => {
    const { id, result } = message;
    if (!isRecord(result)) return message;
    const method = asked.size === 0 ? undefined : asked.get(id);
    if (method !== undefined) {
      asked.delete(id);
      if (isHandshake(method)) return acceptableHandshake(message, method);
    }
    const judged = leastResults?.();
    // The SDKs interpret these members in the result of any method.
    if (judged === undefined) {
      return result['_meta'] === undefined && result['task'] === undefined ? message : standIn(message, {});
    }
    const least = method === undefined ? undefined : judged.get(method);
    // The server asks for input first (2026-07-28): the SDK answers, and the result arrives later under another id.
    if (least === undefined || result['resultType'] === 'input_required') return message;
    return standIn(message, least);
  };

  return {
    sending(message) {
      if (isRequest(message)) {
        const { method } = message;
        if (isHandshake(method) || leastResults?.()?.has(method) === true) asked.set(message.id, method);
      } else if (asked.size > 0 && isNotification(message) && message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (typeof id === 'string' || typeof id === 'number') asked.delete(id);
      }
    },
    // The response cannot arrive any more.
    ...(leastResults !== undefined && {
      sendFailed(message: JSONRPCMessage) {
        if (isRequest(message)) asked.delete(message.id);
      },
    }),
    received(message) {
      if (isResponse(message)) return isResultResponse(message) ? forSdk(message) : message;
      if (isNotification(message) && !HANDLED.has(message.method)) onNotification(message);
      return message;
    },
  };
}

function standIn({ id, result: raw }: JSONRPCResultResponse, least: JSONRPCObject): JSONRPCResultResponse {
  const result = {
    ...least,
    ...('resultType' in raw && { resultType: raw['resultType'] }),
    _meta: { [RAW]: raw },
  };
  return { jsonrpc: '2.0', id, result };
}

/** Returns the result as the server sent it, given the result that an SDK returned. */
export function rawOf(result: JSONRPCObject): JSONRPCObject {
  const meta: unknown = result['_meta'];
  const raw = isRecord(meta) ? meta[RAW] : undefined;
  return isRecord(raw) ? raw : result;
}

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
} from '@mcp-fittings/client-core/transport';
import type { TransportObserver } from '../../contracts/engine.js';
import { measure, type Bounds } from './measure.js';

/** What a server says of itself: it is kept, compared and digested, and an SDK checks it as a whole. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover']);
const HANDSHAKE_BOUNDS: Bounds = { maxNodes: 10_000, maxDepth: 50, maxBytes: 1_048_576 };

/** Under this member of `_meta` a stand-in carries what the server sent. */
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

export interface RawResultsOptions {
  /** Told of each notification that neither the SDK nor the engine handles. */
  readonly onNotification: (notification: JSONRPCNotification) => void;
  /**
   * For an SDK that judges results as a whole, so that one flawed tool would cost the list, one unknown content block the
   * result: the least that it accepts as the result of each method that is read here. Undefined where it takes any result.
   */
  readonly leastResults?: (() => ReadonlyMap<string, JSONRPCObject> | undefined) | undefined;
}

/**
 * Keeps results away from the judgment of an SDK: it gets a stand-in that carries what the server sent, see {@link rawOf}. A
 * result in which it looks at nothing is passed on as it is. Bounds what a server says of itself.
 */
export function observeResults({ onNotification, leastResults }: RawResultsOptions): TransportObserver {
  /** Which method each request has whose result is of interest here. */
  const asked = new Map<RequestId, string>();

  const forSdk = (message: JSONRPCResultResponse): JSONRPCResponse => {
    const { id, result } = message;
    if (!isRecord(result)) return message;
    const method = asked.size === 0 ? undefined : asked.get(id);
    if (method !== undefined) {
      asked.delete(id);
      if (HANDSHAKE.has(method)) return withinBounds(message, method);
    }
    const judged = leastResults?.();
    // Members that have a meaning for the SDKs in the result of any method.
    if (judged === undefined) {
      return result['_meta'] === undefined && result['task'] === undefined ? message : standIn(message, {});
    }
    const least = method === undefined ? undefined : judged.get(method);
    // Asks for input first (2026-07-28): the SDK answers that, and the result comes later under another id.
    if (least === undefined || result['resultType'] === 'input_required') return message;
    return standIn(message, least);
  };

  return {
    sending(message) {
      if (isRequest(message)) {
        const { method } = message;
        if (HANDSHAKE.has(method) || leastResults?.()?.has(method) === true) asked.set(message.id, method);
      } else if (asked.size > 0 && isNotification(message) && message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (typeof id === 'string' || typeof id === 'number') asked.delete(id);
      }
    },
    // An answer that can't come any more is waited for no more.
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

function withinBounds(message: JSONRPCResultResponse, method: string): JSONRPCResponse {
  const { problem } = measure(message.result, HANDSHAKE_BOUNDS);
  if (problem === undefined) return message;
  const error = { code: RPC_CODES.invalidRequest, message: `The answer to ${method} ${problem}.` };
  return { jsonrpc: '2.0', id: message.id, error };
}

/** What the server sent, for a result that an SDK gave. */
export function rawOf(result: JSONRPCObject): JSONRPCObject {
  const meta: unknown = result['_meta'];
  const raw = isRecord(meta) ? meta[RAW] : undefined;
  return isRecord(raw) ? raw : result;
}

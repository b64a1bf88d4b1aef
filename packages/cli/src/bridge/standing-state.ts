import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import {
  isErrorResponse,
  isResultResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type JSONRPCRequest,
} from '@mcp-fittings/client-core/transport';
import type { Upstream } from './upstream.js';

/** What a client said that a server knows only as long as the connection lasts: who it is, and what it wants to hear of. */
export interface StandingState {
  /** A message of the client goes by. */
  note(message: JSONRPCMessage): void;
  /**
   * Makes a new connection what the one before was, unknown to the client. Resolves with the lists that may be others now.
   * Rejects with `SESSION_LOST` when the server does not want the client any more.
   */
  restore(upstream: Upstream): Promise<readonly ListName[]>;
  /** The server has the client again, and has forgotten what it wanted to hear of. */
  restoreWishes(upstream: Upstream): Promise<void>;
  /** A message of the server goes by. */
  hear(message: JSONRPCMessage): void;
  /** What the client has to be told after a gap, in which the server may have announced anything. */
  missed(): readonly JSONRPCNotification[];
}

const LISTS = ['tools', 'prompts', 'resources'] as const;
type ListName = (typeof LISTS)[number];

export function createStandingState(): StandingState {
  let handshake: JSONRPCRequest | undefined;
  let isInitialized = false;
  let logLevel: JSONRPCObject | undefined;
  const subscriptions = new Map<string, JSONRPCObject>();
  let asked = 0;
  let capabilities: unknown;

  const begin = (request: JSONRPCRequest): void => {
    handshake = request;
    isInitialized = false;
    logLevel = undefined;
    subscriptions.clear();
  };
  /** Under an id that no client's request has on this side. */
  const ask = async (
    upstream: Upstream,
    method: string,
    params: JSONRPCObject | undefined,
  ): Promise<void> => {
    asked += 1;
    await upstream.send({ jsonrpc: '2.0', id: `bridge-${asked}`, method, ...(params && { params }) });
  };
  const restoreWishes = async (upstream: Upstream): Promise<void> => {
    const wishes = [...subscriptions.values()].map((params) => ask(upstream, 'resources/subscribe', params));
    if (logLevel !== undefined) wishes.push(ask(upstream, 'logging/setLevel', logLevel));
    // A wish that is refused now was one that the client could do without.
    await Promise.allSettled(wishes);
  };

  /** Lists of which the server says that it announces changes. */
  const changingLists = (): readonly ListName[] =>
    LISTS.filter((list) => {
      const capability = isRecord(capabilities) ? capabilities[list] : undefined;
      return isRecord(capability) && capability['listChanged'] === true;
    });

  return {
    note(message) {
      if (!('method' in message)) return;
      const { method, params } = message;
      const uri = params?.['uri'];
      if (method === 'initialize' && 'id' in message) begin(message);
      else if (method === 'notifications/initialized') isInitialized = true;
      else if (method === 'logging/setLevel') logLevel = params;
      else if (method === 'resources/subscribe' && params !== undefined && typeof uri === 'string')
        subscriptions.set(uri, params);
      else if (method === 'resources/unsubscribe' && typeof uri === 'string') subscriptions.delete(uri);
    },
    async restore(upstream) {
      if (handshake === undefined || !isInitialized) return [];
      let answer: JSONRPCMessage | undefined;
      upstream.transport.onmessage = (message) => {
        if ('id' in message && !('method' in message)) answer ??= message;
      };
      await ask(upstream, 'initialize', handshake.params);
      if (answer === undefined || !isResultResponse(answer)) {
        const why = answer !== undefined && isErrorResponse(answer) ? answer.error.message : 'no answer';
        const message = `The server refused to restore the session of the client: ${sanitizeText(why)}`;
        throw new FittingsError('SESSION_LOST', message, { delivery: 'not-sent' });
      }
      await upstream.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await restoreWishes(upstream);
      ({ capabilities } = answer.result);
      return changingLists();
    },
    restoreWishes,
    hear(message) {
      if (handshake === undefined || !isResultResponse(message) || message.id !== handshake.id) return;
      ({ capabilities } = message.result);
    },
    missed: () => [
      ...changingLists().map((list): JSONRPCNotification => ({
        jsonrpc: '2.0',
        method: `notifications/${list}/list_changed`,
      })),
      ...[...subscriptions.keys()].map((uri): JSONRPCNotification => ({
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: { uri },
      })),
    ],
  };
}

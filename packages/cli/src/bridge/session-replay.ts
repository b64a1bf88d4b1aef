import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCRequest,
} from '@mcp-fittings/client-core';
import { isErrorResponse, isRecord, isResultResponse } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { CommandError } from '../output/hints.js';
import type { Upstream } from './upstream.js';

/**
 * Records what a client told the server that holds only for one connection (its handshake, subscriptions and log level),
 * and replays it on the next connection.
 */
export interface SessionReplay {
  /** Records a message of the client. */
  recordClientMessage(message: JSONRPCMessage): void;
  /**
   * Replays the session on a new connection. Resolves with the lists that may have changed. Rejects with `SESSION_LOST`
   * if the server rejects the handshake.
   */
  replay(upstream: Upstream): Promise<readonly ListName[]>;
  /** Replays the subscriptions and the log level only. */
  replaySubscriptions(upstream: Upstream): Promise<void>;
  /** Records a message of the server. */
  recordServerMessage(message: JSONRPCMessage): void;
  /** Returns notifications about everything that may have changed while there was no connection. */
  missedNotifications(): readonly JSONRPCNotification[];
}

const LISTS = ['tools', 'prompts', 'resources'] as const;
type ListName = (typeof LISTS)[number];

export function createSessionReplay(): SessionReplay {
  let handshake: JSONRPCRequest | undefined;
  let isInitialized = false;
  let logLevel: JSONRPCObject | undefined;
  const subscriptions = new Map<string, JSONRPCObject>();
  let sent = 0;
  let capabilities: unknown;

  const beginSession = (request: JSONRPCRequest): void => {
    handshake = request;
    isInitialized = false;
    logLevel = undefined;
    subscriptions.clear();
  };
  /** Sends a request with an id that no client's request can have here. */
  const ask = async (
    upstream: Upstream,
    method: string,
    params: JSONRPCObject | undefined,
  ): Promise<void> => {
    sent += 1;
    await upstream.send({ jsonrpc: '2.0', id: `bridge-${sent}`, method, ...(params && { params }) });
  };
  const replaySubscriptions = async (upstream: Upstream): Promise<void> => {
    const requests = [...subscriptions.values()].map((params) =>
      ask(upstream, 'resources/subscribe', params),
    );
    if (logLevel !== undefined) requests.push(ask(upstream, 'logging/setLevel', logLevel));
    // A subscription that fails now does not end the session.
    await Promise.allSettled(requests);
  };

  /** Lists for which the server declares `listChanged`. */
  const listsWithChanges = (): readonly ListName[] =>
    LISTS.filter((list) => {
      const capability = isRecord(capabilities) ? capabilities[list] : undefined;
      return isRecord(capability) && capability['listChanged'] === true;
    });

  return {
    recordClientMessage(message) {
      if (!('method' in message)) return;
      const { method, params } = message;
      const uri = params?.['uri'];
      if (method === 'initialize' && 'id' in message) beginSession(message);
      else if (method === 'notifications/initialized') isInitialized = true;
      else if (method === 'logging/setLevel') logLevel = params;
      else if (method === 'resources/subscribe' && params !== undefined && typeof uri === 'string')
        subscriptions.set(uri, params);
      else if (method === 'resources/unsubscribe' && typeof uri === 'string') subscriptions.delete(uri);
    },
    async replay(upstream) {
      if (handshake === undefined || !isInitialized) return [];
      let answer: JSONRPCMessage | undefined;
      upstream.transport.onmessage = (message) => {
        if ('id' in message && !('method' in message)) answer ??= message;
      };
      await ask(upstream, 'initialize', handshake.params);
      if (answer === undefined || !isResultResponse(answer)) {
        const why = answer !== undefined && isErrorResponse(answer) ? answer.error.message : 'no answer';
        const message = `The server refused to replay the session of the client: ${sanitizeText(why)}`;
        throw new CommandError('SESSION_LOST', message, { delivery: 'not-sent' });
      }
      await upstream.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await replaySubscriptions(upstream);
      ({ capabilities } = answer.result);
      return listsWithChanges();
    },
    replaySubscriptions,
    recordServerMessage(message) {
      if (handshake === undefined || !isResultResponse(message) || message.id !== handshake.id) return;
      ({ capabilities } = message.result);
    },
    missedNotifications: () => [
      ...listsWithChanges().map((list): JSONRPCNotification => ({
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

import { randomUUID } from 'node:crypto';
import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCObject,
  JSONRPCRequest,
} from '@mcp-fittings/client-core';
import { isErrorResponse, isRecord, isResponse, isResultResponse } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import { CommandError } from '../output/hints.js';
import type { Upstream } from './upstream.js';

const LISTS = ['tools', 'prompts', 'resources'] as const;

/**
 * Records what a client told the server that holds only for one connection (its handshake, subscriptions and log level),
 * and replays it on the next connection.
 */
export class SessionReplay {
  readonly #subscriptions = new Map<string, JSONRPCObject>();
  #handshake: JSONRPCRequest | undefined;
  #isInitialized = false;
  #logLevel: JSONRPCObject | undefined;
  #capabilities: unknown;

  /** Records a message of the client. */
  recordClientMessage(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    const { method, params } = message;
    const uri = params?.['uri'];
    if (method === 'initialize' && 'id' in message) {
      this.#handshake = message;
      this.#isInitialized = false;
      this.#logLevel = undefined;
      this.#subscriptions.clear();
    } else if (method === 'notifications/initialized') this.#isInitialized = true;
    else if (method === 'logging/setLevel') this.#logLevel = params;
    else if (method === 'resources/subscribe' && params !== undefined && typeof uri === 'string')
      this.#subscriptions.set(uri, params);
    else if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#subscriptions.delete(uri);
  }

  /** Records a message of the server. */
  recordServerMessage(message: JSONRPCMessage): void {
    if (isResultResponse(message) && message.id === this.#handshake?.id)
      this.#capabilities = message.result['capabilities'];
  }

  /**
   * Replays the session on a new connection. Resolves with notifications about the lists that may have changed. Rejects with
   * `SESSION_LOST` if the server rejects the handshake.
   */
  async replay(upstream: Upstream): Promise<readonly JSONRPCNotification[]> {
    if (this.#handshake === undefined || !this.#isInitialized) return [];
    let answer: JSONRPCMessage | undefined;
    upstream.transport.onmessage = (message) => {
      if (isResponse(message)) answer ??= message;
    };
    await ask(upstream, 'initialize', this.#handshake.params);
    if (answer === undefined || !isResultResponse(answer)) {
      const why = answer !== undefined && isErrorResponse(answer) ? answer.error.message : 'no answer';
      const message = `The server refused to replay the session of the client: ${sanitizeText(why)}`;
      throw new CommandError('SESSION_LOST', message, { delivery: 'not-sent' });
    }
    await upstream.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await this.replaySubscriptions(upstream);
    this.#capabilities = answer.result['capabilities'];
    return this.#changedLists();
  }

  /** Replays the subscriptions and the log level only. One that fails now does not end the session. */
  async replaySubscriptions(upstream: Upstream): Promise<void> {
    const requests = [...this.#subscriptions.values()].map((params) =>
      ask(upstream, 'resources/subscribe', params),
    );
    if (this.#logLevel !== undefined) requests.push(ask(upstream, 'logging/setLevel', this.#logLevel));
    await Promise.allSettled(requests);
  }

  /** Returns notifications about everything that may have changed while there was no connection. */
  missedNotifications(): readonly JSONRPCNotification[] {
    const updated = [...this.#subscriptions.keys()].map((uri): JSONRPCNotification => ({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri },
    }));
    return [...this.#changedLists(), ...updated];
  }

  /** Returns notifications for the lists of which the server declares `listChanged`. */
  #changedLists(): readonly JSONRPCNotification[] {
    return LISTS.filter((list) => {
      const capability = isRecord(this.#capabilities) ? this.#capabilities[list] : undefined;
      return isRecord(capability) && capability['listChanged'] === true;
    }).map((list) => ({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` }));
  }
}

/** Sends a request with an id that no client's request has. */
async function ask(upstream: Upstream, method: string, params: JSONRPCObject | undefined): Promise<void> {
  await upstream.send({
    jsonrpc: '2.0',
    id: `bridge-${randomUUID()}`,
    method,
    ...(params && { params }),
  });
}

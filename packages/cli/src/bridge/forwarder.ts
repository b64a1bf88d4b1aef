import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type Logger,
  type RequestId,
} from '@mcp-fittings/client-core';
import { isRequest, isResponse, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import {
  type InFlight,
  SUBSCRIPTION_KEY,
  InFlightRequests,
  withSubscription,
} from '@mcp-fittings/transport-shared/server';
import { errorResponse } from './error-responses.js';
import { createParameterHeaders } from './parameter-headers.js';
import type { Upstream } from './upstream.js';

/** One client of the bridge. */
export interface ClientSide {
  /**
   * Sends a message to the client. `relatedTo` is the client's request that the message belongs to, if that is known.
   */
  send(message: JSONRPCMessage, relatedTo?: RequestId): Promise<void>;
}

/** Forwards the messages of one client. */
export interface ClientHandle {
  receive(message: JSONRPCMessage): void;
  /** Cancels the client's requests at the server. Call it when the client has disconnected. */
  leave(): void;
}

export interface ForwarderOptions {
  readonly upstream: Upstream;
  /**
   * Is true if several clients without a session share the connection. A message of the server that belongs to no request
   * is then dropped, because it may be meant for another client.
   */
  readonly shared: boolean;
  readonly logger?: Logger | undefined;
}

/**
 * Forwards messages between clients and one connection to a server. Of MCP it knows only which message belongs to which
 * client.
 */
export interface Forwarder {
  join(client: ClientSide): ClientHandle;
}

export function createForwarder({ upstream, shared, logger }: ForwarderOptions): Forwarder {
  const inFlight = new InFlightRequests<ClientSide>();
  /** Requests of the server that a client has not answered. */
  const asked = new Map<RequestId, ClientSide>();
  const clients = new Set<ClientSide>();
  const mirrored = createParameterHeaders();

  const deliver = (client: ClientSide, message: JSONRPCMessage, relatedTo?: RequestId): void => {
    client.send(message, relatedTo).catch((error: unknown) => {
      logger?.debug('Could not deliver a message to the client.', { code: codeOf(error) });
    });
  };
  const tellServer = (message: JSONRPCMessage): void => {
    upstream.send(message).catch((error: unknown) => {
      logger?.debug('Could not deliver a message to the server.', { code: codeOf(error) });
    });
  };
  /** The client that receives messages which belong to no request. */
  const onlyClient = (): ClientSide | undefined => (shared ? undefined : [...clients][0]);

  const forwardRequest = (client: ClientSide, request: JSONRPCRequest): void => {
    const { forwarded, entry } = inFlight.add(client, request, !shared);
    const headers = request.method === 'tools/call' ? mirrored.headersOf(request.params) : undefined;
    upstream.send(forwarded, { requestSignal: entry.giveUp.signal, headers }).then(
      // It was answered, or it was cancelled and removed before.
      () => void inFlight.remove(forwarded.id),
      (error: unknown) => {
        if (inFlight.remove(forwarded.id) !== undefined) deliver(client, errorResponse(entry.id, error));
      },
    );
  };

  const cancel = (number: RequestId, params: JSONRPCNotification['params']): void => {
    const entry = inFlight.remove(number);
    if (entry === undefined) return;
    if (!(entry.isStateless && upstream.transport.hasPerRequestStream === true)) {
      tellServer({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { ...params, requestId: number },
      });
    }
    entry.giveUp.abort();
  };

  const forwardNotification = (client: ClientSide, message: JSONRPCNotification): void => {
    if (message.method !== 'notifications/cancelled') return tellServer(message);
    const number = inFlight.numberOf(client, message.params?.['requestId']);
    if (number !== undefined) cancel(number, message.params);
  };

  const answer = (message: JSONRPCResponse): void => {
    const entry = inFlight.remove(message.id);
    if (entry !== undefined) {
      const { client, id, method } = entry;
      if (method === 'tools/list' && 'result' in message) mirrored.learn(message.result);
      deliver(client, withSubscription({ ...message, id }, id), id);
    }
  };

  const ask = (request: JSONRPCRequest): void => {
    const client = onlyClient();
    const refuse = (message: string): void =>
      tellServer({ jsonrpc: '2.0', id: request.id, error: { code: RPC_CODES.internalError, message } });
    if (client === undefined) return refuse('No client of the bridge can answer this request.');
    asked.set(request.id, client);
    client.send(request).catch(() => {
      if (asked.delete(request.id)) refuse('The request could not be delivered to the client of the bridge.');
    });
  };

  const related = (message: JSONRPCNotification): InFlight<ClientSide> | undefined => {
    const { method, params } = message;
    if (method === 'notifications/progress') return inFlight.byToken(params?.['progressToken']);
    return inFlight.get(params?._meta?.[SUBSCRIPTION_KEY]);
  };

  const tell = (message: JSONRPCNotification): void => {
    const { method, params } = message;
    const entry = related(message);
    if (entry !== undefined) {
      const { client, id, progressToken } = entry;
      const own =
        method === 'notifications/progress'
          ? { ...message, params: { ...params, progressToken } }
          : withSubscription(message, id);
      return deliver(client, own, id);
    }
    if (method === 'notifications/progress') return;
    const client = onlyClient();
    if (client === undefined)
      logger?.debug('The server sent a message that is not for any client.', { method });
    else deliver(client, message);
  };

  upstream.listen((message) => {
    if (isResponse(message)) answer(message);
    else if (isRequest(message)) ask(message);
    else tell(message);
  });

  return {
    join(client) {
      clients.add(client);
      return {
        receive(message) {
          if (isResponse(message)) {
            if (message.id !== undefined && asked.get(message.id) === client) {
              asked.delete(message.id);
              tellServer(message);
            }
          } else if (isRequest(message)) forwardRequest(client, message);
          else forwardNotification(client, message);
        },
        leave() {
          clients.delete(client);
          for (const number of inFlight.of(client)) cancel(number, { reason: 'The client disconnected.' });
          for (const [id, whom] of asked) if (whom === client) asked.delete(id);
        },
      };
    },
  };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof FittingsError ? error.code : undefined;
}

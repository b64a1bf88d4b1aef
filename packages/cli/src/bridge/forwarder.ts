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
import { InFlightRequests, SUBSCRIPTION_KEY, withSubscription } from '@mcp-fittings/transport-shared/server';
import { errorResponse } from './error-responses.js';
import { createParameterHeaders } from './parameter-headers.js';
import type { Upstream } from './upstream.js';

/** The client of a connection. */
export interface ClientSide {
  send(message: JSONRPCMessage): Promise<void>;
}

/**
 * Forwards messages between one client and its connection to the server. Of MCP it knows only which message belongs to which
 * request.
 */
export class Forwarder {
  readonly #upstream: Upstream;
  readonly #client: ClientSide;
  readonly #logger: Logger | undefined;
  readonly #inFlight = new InFlightRequests<ClientSide>();
  /** Requests of the server that the client has not answered. */
  readonly #asked = new Set<RequestId>();
  readonly #mirrored = createParameterHeaders();

  constructor(upstream: Upstream, client: ClientSide, logger: Logger | undefined) {
    this.#upstream = upstream;
    this.#client = client;
    this.#logger = logger;
    upstream.listen((message) => {
      if (isResponse(message)) this.#answer(message);
      else if (isRequest(message)) this.#ask(message);
      else this.#tell(message);
    });
  }

  /** Takes a message of the client. */
  receive(message: JSONRPCMessage): void {
    if (isRequest(message)) this.#request(message);
    else if (!isResponse(message)) this.#notify(message);
    else if (message.id !== undefined && this.#asked.delete(message.id)) this.#tellServer(message);
  }

  /** Cancels the client's requests at the server. Call it when the client has disconnected. */
  leave(): void {
    for (const number of this.#inFlight.of(this.#client))
      this.#cancel(number, { reason: 'The client disconnected.' });
    this.#asked.clear();
  }

  #deliver(message: JSONRPCMessage): void {
    this.#client.send(message).catch((error: unknown) => {
      this.#logger?.debug('Could not deliver a message to the client.', { code: codeOf(error) });
    });
  }

  #tellServer(message: JSONRPCMessage): void {
    this.#upstream.send(message).catch((error: unknown) => {
      this.#logger?.debug('Could not deliver a message to the server.', { code: codeOf(error) });
    });
  }

  #request(request: JSONRPCRequest): void {
    const { forwarded, entry } = this.#inFlight.add(this.#client, request, true);
    const headers = request.method === 'tools/call' ? this.#mirrored.headersOf(request.params) : undefined;
    this.#upstream.send(forwarded, { requestSignal: entry.giveUp.signal, headers }).then(
      // It was answered, or it was cancelled and removed before.
      () => void this.#inFlight.remove(forwarded.id),
      (error: unknown) => {
        if (this.#inFlight.remove(forwarded.id) !== undefined) this.#deliver(errorResponse(entry.id, error));
      },
    );
  }

  #notify(message: JSONRPCNotification): void {
    if (message.method !== 'notifications/cancelled') return this.#tellServer(message);
    const number = this.#inFlight.numberOf(this.#client, message.params?.['requestId']);
    if (number !== undefined) this.#cancel(number, message.params);
  }

  #cancel(number: RequestId, params: JSONRPCNotification['params']): void {
    const entry = this.#inFlight.remove(number);
    if (entry === undefined) return;
    if (!(entry.isStateless && this.#upstream.transport.hasPerRequestStream === true)) {
      this.#tellServer({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { ...params, requestId: number },
      });
    }
    entry.giveUp.abort();
  }

  #answer(message: JSONRPCResponse): void {
    const entry = this.#inFlight.remove(message.id);
    if (entry === undefined) return;
    const { id, method } = entry;
    if (method === 'tools/list' && 'result' in message) this.#mirrored.learn(message.result);
    this.#deliver(withSubscription({ ...message, id }, id));
  }

  #ask(request: JSONRPCRequest): void {
    const { id } = request;
    this.#asked.add(id);
    this.#client.send(request).catch(() => {
      if (!this.#asked.delete(id)) return;
      const message = 'The request could not be delivered to the client of the bridge.';
      this.#tellServer({ jsonrpc: '2.0', id, error: { code: RPC_CODES.internalError, message } });
    });
  }

  #tell(message: JSONRPCNotification): void {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const entry = this.#inFlight.byToken(params?.['progressToken']);
      if (entry === undefined) return;
      const { progressToken } = entry;
      return this.#deliver({ ...message, params: { ...params, progressToken } });
    }
    const entry = this.#inFlight.get(params?._meta?.[SUBSCRIPTION_KEY]);
    this.#deliver(entry === undefined ? message : withSubscription(message, entry.id));
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof FittingsError ? error.code : undefined;
}

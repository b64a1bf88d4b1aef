import {
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCObject,
  type JSONRPCRequest,
  type Logger,
  type RequestId,
} from '@mcp-fittings/client-core';
import {
  answersId,
  isRecord,
  isRequest,
  isRequestId,
  isResponse,
  META,
  RPC_CODES,
} from '@mcp-fittings/toolbox/messages';
import {
  type ParameterHeader,
  parameterHeaders,
  parameterText,
} from '@mcp-fittings/toolbox/parameter-headers';
import { errorResponse } from './error-responses.js';
import { SessionReplay } from './session-replay.js';
import type { OpenUpstream, Upstream } from './upstream.js';

interface BridgedClientOptions {
  readonly open: OpenUpstream;
  /** Sends a message to the client. */
  readonly send: (message: JSONRPCMessage) => Promise<void>;
  readonly logger?: Logger | undefined;
}

/** A request of the client that the server has not answered. */
interface InFlight {
  readonly request: JSONRPCRequest;
  /** Abort it to stop waiting for the response. */
  readonly giveUp: AbortController;
}

const MOST_TOOLS = 10_000;

/**
 * Connects one client to the server over a connection of its own, and forwards their messages as they are. The client's first request opens
 * the connection. If it is lost, the next request opens another one and replays the client's session, because many clients never reconnect.
 */
export class BridgedClient {
  readonly #options: BridgedClientOptions;
  readonly #session = new SessionReplay();
  readonly #inFlight = new Map<RequestId, InFlight>();
  /** Requests of the server that the client has not answered. */
  readonly #asked = new Set<RequestId>();
  /**
   * Parameters of tools that HTTP requires in headers too. A client of another transport does not send them.
   * @see https://modelcontextprotocol.io/seps/2243-http-standardization
   */
  readonly #headers = new Map<string, readonly ParameterHeader[]>();
  #opening: Promise<Upstream> | undefined;
  #upstream: Upstream | undefined;
  #isClosed = false;

  constructor(options: BridgedClientOptions) {
    this.#options = options;
  }

  /** Takes a message of the client. */
  receive(message: JSONRPCMessage): void {
    this.#session.recordClientMessage(message);
    // It has ended, but its `onclose` has not run.
    if (this.#upstream?.transport.closeReason !== undefined) this.#opening = this.#upstream = undefined;
    // The request that this belongs to ended with the connection.
    if (this.#isClosed || (this.#opening === undefined && !isRequest(message))) return;
    this.#opening ??= this.#connect();
    this.#opening.then(
      (upstream) => this.#forward(upstream, message),
      (error: unknown) => {
        // The next request connects again: the server may be back.
        this.#opening = undefined;
        if (isRequest(message)) this.#deliver(errorResponse(message.id, error));
      },
    );
  }

  /** Closes the connection of a client that has disconnected. Resolves when it is closed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const upstream = await this.#opening?.catch(() => undefined);
    if (upstream === undefined) return;
    for (const requestId of this.#inFlight.keys())
      this.#cancel(upstream, { requestId, reason: 'The client disconnected.' });
    await upstream.transport.close();
  }

  async #connect(): Promise<Upstream> {
    const { open, logger } = this.#options;
    const opened = await open();
    const { transport } = opened;
    this.#upstream = opened;
    this.#asked.clear();
    transport.onclose = () => {
      if (this.#upstream === opened) this.#opening = undefined;
      const { closeReason } = transport;
      if (closeReason !== undefined) logger?.warn(closeReason.message, { code: closeReason.code });
    };
    try {
      const changed = await this.#session.replay(opened);
      opened.listen((message) => this.#receiveFromServer(opened, message));
      transport.onsessionrestored = transport.onreconnect = this.#resubscribing(opened);
      for (const message of changed) this.#deliver(message);
      return opened;
    } catch (error) {
      await transport.close();
      throw error;
    }
  }

  /**
   * Returns what to do when the session was replaced, or notifications were missed while the stream was down: subscribes again, and tells
   * the client what may have changed. Both events at once count as one.
   */
  #resubscribing(opened: Upstream): () => void {
    let isRunning = false;
    return () => {
      if (isRunning || this.#upstream !== opened) return;
      isRunning = true;
      void this.#session.replaySubscriptions(opened).finally(() => {
        isRunning = false;
        if (this.#upstream !== opened || this.#isClosed) return;
        for (const message of this.#session.missedNotifications()) this.#deliver(message);
      });
    };
  }

  #forward(upstream: Upstream, message: JSONRPCMessage): void {
    if (isRequest(message)) this.#request(upstream, message);
    else if (isResponse(message)) {
      if (message.id !== undefined && this.#asked.delete(message.id)) this.#tellServer(upstream, message);
    } else if (message.method === 'notifications/cancelled') this.#cancel(upstream, message.params);
    else this.#tellServer(upstream, message);
  }

  #request(upstream: Upstream, request: JSONRPCRequest): void {
    const { id, method, params } = request;
    const entry = { request, giveUp: new AbortController() };
    this.#inFlight.set(id, entry);
    const headers = method === 'tools/call' ? this.#headersOf(params) : undefined;
    const isOpen = (): boolean => this.#inFlight.get(id) === entry && this.#inFlight.delete(id);
    upstream.send(request, { requestSignal: entry.giveUp.signal, headers }).then(
      // It was answered, or it was cancelled and removed before.
      () => void isOpen(),
      (error: unknown) => {
        if (isOpen()) this.#deliver(errorResponse(id, error));
      },
    );
  }

  #cancel(upstream: Upstream, params: JSONRPCNotification['params']): void {
    const id = params?.['requestId'];
    const entry = isRequestId(id) ? this.#inFlight.get(id) : undefined;
    if (!isRequestId(id) || entry === undefined) return;
    this.#inFlight.delete(id);
    const isStateless = entry.request.params?._meta?.[META.protocolVersion] !== undefined;
    // Such a request is cancelled by closing its stream.
    if (!(isStateless && upstream.transport.hasPerRequestStream === true))
      this.#tellServer(upstream, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
    entry.giveUp.abort();
  }

  #receiveFromServer(upstream: Upstream, message: JSONRPCMessage): void {
    if (isRequest(message)) return this.#ask(upstream, message);
    if (!isResponse(message)) return this.#deliver(message);
    // Some servers return a number as a string.
    const { id: given } = message;
    if (given === undefined) return;
    const id = this.#inFlight.has(given) || !answersId(given, Number(given)) ? given : Number(given);
    const entry = this.#inFlight.get(id);
    if (entry === undefined) return;
    this.#inFlight.delete(id);
    const { request } = entry;
    if (request.method === 'tools/list' && 'result' in message) this.#learnHeaders(message.result);
    const answer = { ...message, id: request.id };
    this.#session.recordServerMessage(answer);
    this.#deliver(answer);
  }

  #ask(upstream: Upstream, request: JSONRPCRequest): void {
    const { id } = request;
    this.#asked.add(id);
    this.#options.send(request).catch(() => {
      if (!this.#asked.delete(id)) return;
      const message = 'The request could not be delivered to the client of the bridge.';
      this.#tellServer(upstream, { jsonrpc: '2.0', id, error: { code: RPC_CODES.internalError, message } });
    });
  }

  #deliver(message: JSONRPCMessage): void {
    this.#options.send(message).catch((error: unknown) => this.#logUndelivered('client', error));
  }

  #tellServer(upstream: Upstream, message: JSONRPCMessage): void {
    upstream.send(message).catch((error: unknown) => this.#logUndelivered('server', error));
  }

  #logUndelivered(to: string, error: unknown): void {
    const code = error instanceof FittingsError ? error.code : undefined;
    this.#options.logger?.debug(`Could not deliver a message to the ${to}.`, { code });
  }

  #learnHeaders({ tools }: JSONRPCObject): void {
    for (const tool of Array.isArray(tools) ? tools : []) {
      if (!isRecord(tool) || typeof tool['name'] !== 'string') continue;
      const found = parameterHeaders(tool['inputSchema']);
      if (found.length === 0) this.#headers.delete(tool['name']);
      else if (this.#headers.size < MOST_TOOLS) this.#headers.set(tool['name'], found);
    }
  }

  #headersOf(params: JSONRPCObject | undefined): Readonly<Record<string, string>> {
    const name = params?.['name'];
    const mirrored = typeof name === 'string' ? (this.#headers.get(name) ?? []) : [];
    return Object.fromEntries(
      mirrored.flatMap((each) => {
        const text = parameterText(params?.['arguments'], each);
        return text === undefined ? [] : [[each.header, text]];
      }),
    );
  }
}

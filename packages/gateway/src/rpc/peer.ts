import {
  type Clock,
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCObject,
  type JSONRPCRequest,
  type RequestId,
} from '@mcp-fittings/client-core';
import { InFlight } from '@mcp-fittings/toolbox/base-transport';
import { isRequest, isRequestId, isResponse, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import type { Caller, Mount } from '../contracts/caller.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { Ask, ClientConnection, ClientRequest, ClientSession, Surface } from '../contracts/surface.js';

/** Options of {@link Peer}. */
export interface PeerOptions {
  readonly surface: Surface;
  /** Whose client it is, for what belongs to none of its requests. */
  readonly caller: Caller;
  readonly mount: Mount;
  readonly clock: Clock;
  /** Sends a message to the client; `related` is the request of the client that it belongs to, `status` that of an error over HTTP. */
  readonly send: (message: JSONRPCMessage, related?: RequestId, status?: number) => void;
  /** Begins the ids of requests to the client. Default: they are numbers. */
  readonly idPrefix?: string | undefined;
}

/** A request to the client that waits for its response. */
interface Asked {
  readonly resolve: (result: JSONRPCObject) => void;
  readonly reject: (error: unknown) => void;
  /** The client is still busy with it. */
  readonly renew: () => void;
}

/** One client that has a connection or a session, or makes one request: its requests in flight, and those to it. */
export class Peer {
  readonly #options: PeerOptions;
  readonly #working = new InFlight<AbortController>();
  readonly #asked = new Map<RequestId, Asked>();
  #session: ClientSession | undefined;
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /**
   * Takes a message of the client.
   * @param caller - who has sent it: tokens of one caller may allow different things
   */
  receive(message: JSONRPCMessage, caller: Caller, era: ClientConnection['era'] = 'legacy'): void {
    if (isRequest(message)) return this.#work(message, caller, era);
    if (isResponse(message)) {
      const { id } = message;
      // Some clients return a number as text.
      const asked = id === undefined ? undefined : (this.#asked.get(id) ?? this.#asked.get(Number(id)));
      if ('result' in message) return asked?.resolve(message.result);
      const { code, message: text, data } = message.error;
      return asked?.reject(new RpcError(code, text, data));
    }
    const { method, params = {} } = message;
    if (method === 'notifications/cancelled' && isRequestId(params['requestId']))
      this.cancel(params['requestId'], params['reason']);
    if (method === 'notifications/progress' && isRequestId(params['progressToken']))
      this.#asked.get(params['progressToken'])?.renew();
  }

  /** Answers a request that the client has sent elsewhere. Rejects with the error for the client. */
  perform(
    method: string,
    params: JSONRPCObject,
    caller: Caller,
    options: Pick<ClientRequest, 'isReplayed'> = {},
  ): Promise<JSONRPCObject> {
    const { surface, mount } = this.#options;
    const session = this.#sessionOf('legacy');
    const notify = (): void => undefined;
    return surface.answer({
      id: '',
      method,
      params,
      caller,
      mount,
      era: 'legacy',
      client: this,
      session,
      controller: new AbortController(),
      notify,
      ...options,
    });
  }

  /** Stops the work on a request, which gets no response. Does nothing if it has ended. */
  cancel(id: RequestId, reason: unknown): void {
    const controller = this.#working.get(id);
    this.#working.delete(id);
    controller?.abort(reason);
  }

  /** Ends everything: the client has left. */
  close(): void {
    const error = new FittingsError('TRANSPORT_CLOSED', 'The client of the gateway has left.');
    for (const id of this.#working.ids()) this.cancel(id, error);
    for (const { reject } of this.#asked.values()) reject(error);
    this.#session?.[Symbol.dispose]();
  }

  #work({ id, method, params = {} }: JSONRPCRequest, caller: Caller, era: ClientConnection['era']): void {
    const { surface, mount, send } = this.#options;
    if (this.#working.has(id)) {
      const error = { code: RPC_CODES.invalidRequest, message: 'A request with this id is in flight.' };
      return send({ jsonrpc: '2.0', id, error });
    }
    const controller = new AbortController();
    this.#working.set(id, controller);
    const isOpen = (): boolean => this.#working.get(id) === controller;
    const end = (response: JSONRPCMessage, status?: number): void => {
      if (!isOpen()) return;
      this.#working.delete(id);
      send(response, undefined, status);
    };
    const answered = surface.answer({
      id,
      method,
      params,
      caller,
      mount,
      era,
      client: this,
      session: this.#sessionOf(era),
      controller,
      notify: (name, given) => {
        if (isOpen()) send({ jsonrpc: '2.0', method: name, params: given }, id);
      },
      ask: era === 'legacy' ? (question, how) => this.#ask(id, question, how) : undefined,
    });
    answered.then(
      (result) => end({ jsonrpc: '2.0', id, result }),
      (error: unknown) => {
        const status = error instanceof RpcError ? error.status : undefined;
        end({ jsonrpc: '2.0', id, error: errorOf(error) }, status);
      },
    );
  }

  #sessionOf(era: ClientConnection['era']): ClientSession | undefined {
    const { surface, mount, send, caller } = this.#options;
    if (era === 'legacy') {
      this.#session ??= surface.openSession({ caller, mount, era }, (method, params) =>
        send({ jsonrpc: '2.0', method, params }),
      );
    }
    return this.#session;
  }

  #ask(related: RequestId, ...[question, { signal, timeoutMs }]: Parameters<Ask>): Promise<JSONRPCObject> {
    const { send, clock, idPrefix } = this.#options;
    const { method, params = {} } = question;
    const number = ++this.#lastId;
    const id = idPrefix === undefined ? number : `${idPrefix}${number}`;
    const withdraw = (error: unknown): void => {
      const reason = error instanceof Error ? error.message : String(error);
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } }, related);
      this.#asked.get(id)?.reject(error);
    };
    const onTimeout = (): void =>
      withdraw(new FittingsError('TIMEOUT', `The client did not answer a question within ${timeoutMs} ms.`));
    const onAbort = (): void => withdraw(signal.reason);
    let timer = clock.schedule(onTimeout, timeoutMs, { unref: true });
    const answer = new Promise<JSONRPCObject>((resolve, reject) => {
      const renew = (): void => {
        timer[Symbol.dispose]();
        timer = clock.schedule(onTimeout, timeoutMs, { unref: true });
      };
      this.#asked.set(id, { resolve, reject, renew });
    }).finally(() => {
      this.#asked.delete(id);
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
    });
    signal.addEventListener('abort', onAbort, { once: true });
    const _meta = { ...params._meta, progressToken: id };
    send({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, related);
    return answer;
  }
}

/** Returns the member `error` of a response. */
export function errorOf(error: unknown): ReturnType<RpcError['toJSON']> {
  if (error instanceof RpcError) return error.toJSON();
  return { code: RPC_CODES.internalError, message: 'Internal error' };
}

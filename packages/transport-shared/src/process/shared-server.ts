import {
  type Clock,
  FittingsError,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type Logger,
  type RequestId,
  type Transport,
  TransportError,
} from '@mcp-fittings/client-core';
import { isRequest, isResponse, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { InFlightRequests, withSubscription } from './in-flight-requests.js';
import { Subscriptions } from './subscriptions.js';

/** Represents one program at a server, as the server's process sees it. */
export interface Member {
  /** Sends a message of the server to the program. */
  send(message: JSONRPCMessage): void;
  /** A request of the program gets no response. */
  fail(id: RequestId, error: FittingsError): void;
  /** Called when the server has ended. */
  ended(error: FittingsError): void;
  /** Something about the server that belongs to no request. */
  report(error: FittingsError): void;
  /** A line that the server wrote to stderr. */
  stderr(line: string): void;
}

/** A process of a server and the programs that use it. */
export type SharedServer = ReturnType<typeof createSharedServer>;

export interface SharedServerOptions {
  /** Not started yet. */
  readonly transport: Transport;
  readonly logger?: Logger | undefined;
  readonly clock: Clock;
  /** Milliseconds after which a server that no program uses is ended; called when the last one has left. */
  readonly idleMs: () => number;
  readonly onEnd: () => void;
  /** Called when the server does not know `server/discover`. */
  readonly onUndiscoverable: (error: Extract<JSONRPCResponse, { error: unknown }>['error']) => void;
}

/** Requests during which a server asks its client something. */
const CALLS = new Set(['tools/call', 'prompts/get', 'resources/read']);

export function createSharedServer(options: SharedServerOptions) {
  const { transport, logger, clock, idleMs, onEnd, onUndiscoverable } = options;
  const members = new Set<Member>();
  const inFlight = new InFlightRequests<Member>();
  /** Requests of the server that a program has not answered. */
  const asked = new Map<RequestId, Member>();
  const subscriptions = new Subscriptions<Member>();
  let handshake: Promise<JSONRPCResponse> | undefined;
  let isInitialized = false;
  let isUntouched = true;
  let hasEnded = false;
  /** Its ids are kept, so that a server that only one program uses sees what that program has sent. */
  let first: Member | undefined;
  let idle: Disposable | undefined;

  const wakeUp = (): void => {
    idle?.[Symbol.dispose]();
    idle = undefined;
  };
  const tellServer = (message: JSONRPCMessage): void => {
    transport.send(message).catch((error: unknown) => {
      logger?.debug('Could not deliver a message to the server.', { code: codeOf(error) });
    });
  };

  const forward = (member: Member, request: JSONRPCRequest): void => {
    if (request.method !== 'server/discover') isUntouched = false;
    const { forwarded, entry } = inFlight.add(member, request, member === first);
    transport.send(forwarded, { requestSignal: entry.giveUp.signal }).then(
      // It was answered, or it was cancelled and removed before.
      () => void inFlight.remove(forwarded.id),
      (error: unknown) => {
        if (inFlight.remove(forwarded.id) === undefined) return;
        subscriptions.settled(member, entry.id, false);
        member.fail(entry.id, asError(error));
      },
    );
  };

  const cancel = (number: RequestId, params: JSONRPCNotification['params']): void => {
    const entry = inFlight.remove(number);
    if (entry === undefined) return;
    const uri = subscriptions.settled(entry.client, entry.id, false);
    tellServer({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { ...params, requestId: number },
    });
    entry.giveUp.abort();
    // The server may have accepted it before it reads this.
    if (uri !== undefined)
      ask({ jsonrpc: '2.0', id: 0, method: 'resources/unsubscribe', params: { uri } }).catch(() => undefined);
  };

  /** Sends a request of this process itself, and resolves with the response. */
  const ask = (request: JSONRPCRequest): Promise<JSONRPCResponse> =>
    new Promise((resolve, reject) => {
      const nothing = (): void => undefined;
      const own: Member = {
        send: (message) => (isResponse(message) ? resolve(message) : undefined),
        fail: (_, error) => reject(error),
        ended: nothing,
        report: nothing,
        stderr: nothing,
      };
      forward(own, request);
    });

  const answer = (message: JSONRPCResponse): void => {
    const entry = inFlight.remove(message.id);
    if (entry === undefined) return;
    const { client: member, id, method } = entry;
    if (method === 'server/discover') {
      if ('error' in message) onUndiscoverable(message.error);
      else isUntouched = false;
    }
    subscriptions.settled(member, id, 'result' in message);
    member.send(withSubscription({ ...message, id }, id));
  };

  /**
   * The program that a request of the server is for. Over stdio nothing says to which call it belongs, so it is the only
   * program with a call in flight, or the only one at all. All programs have the same roots.
   */
  const addressee = (method: string): Member | undefined => {
    const all = [...members];
    if (method === 'roots/list') return all[0];
    const calling = new Set(inFlight.all().flatMap((each) => (CALLS.has(each.method) ? [each.client] : [])));
    const busy = calling.size > 0 ? calling : new Set(inFlight.all().map(({ client }) => client));
    const [candidate, ...others] = [...busy].filter((member) => members.has(member));
    if (others.length > 0) return undefined;
    return candidate ?? (all.length === 1 ? all[0] : undefined);
  };

  const pass = (request: JSONRPCRequest): void => {
    const { id, method } = request;
    const member = addressee(method);
    if (member !== undefined) {
      asked.set(id, member);
      return member.send(request);
    }
    if (method === 'ping') return tellServer({ jsonrpc: '2.0', id, result: {} });
    const message = `Several programs use this server, and it cannot be told for which of them this ${method} request is.`;
    tellServer({ jsonrpc: '2.0', id, error: { code: RPC_CODES.internalError, message } });
  };

  const tell = (message: JSONRPCNotification): void => {
    const { method, params } = message;
    if (method === 'notifications/progress') {
      const entry = inFlight.byToken(params?.['progressToken']);
      // A token that is not in a request is the business of the program whose tokens are kept, if it is the only one.
      if (entry === undefined) {
        if (first !== undefined && members.size === 1 && members.has(first)) first.send(message);
        return;
      }
      return entry.client.send({ ...message, params: { ...params, progressToken: entry.progressToken } });
    }
    const listener = inFlight.get(params?._meta?.[META.subscriptionId]);
    if (listener !== undefined) return listener.client.send(withSubscription(message, listener.id));
    if (method === 'notifications/cancelled') return forget(message);
    for (const member of subscriptions.audience(message, members)) member.send(message);
  };

  /** The server has given up one of its requests. */
  const forget = (message: JSONRPCNotification): void => {
    const id = message.params?.['requestId'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    asked.get(id)?.send(message);
    asked.delete(id);
  };

  transport.onmessage = (message) => {
    if (isResponse(message)) answer(message);
    else if (isRequest(message)) pass(message);
    else tell(message);
  };
  transport.onerror = (error) => {
    if (error instanceof FittingsError) for (const member of members) member.report(error);
  };
  transport.onclose = () => {
    hasEnded = true;
    const reason = transport.closeReason ?? closed();
    wakeUp();
    for (const member of members) member.ended(reason);
    members.clear();
    onEnd();
  };

  const close = async (): Promise<void> => {
    hasEnded = true;
    wakeUp();
    onEnd();
    await transport.close();
  };

  return {
    /** Resolves when the process runs. Rejects with a `TransportError`. */
    started: transport.start().catch((error: unknown) => {
      hasEnded = true;
      wakeUp();
      onEnd();
      throw error;
    }),
    /** Nothing was asked but `server/discover`, and that without success, so that a session can still begin. */
    get isUntouched(): boolean {
      return isUntouched;
    },
    /** Number of requests that it has not answered. */
    get inFlight(): number {
      return inFlight.all().length;
    },
    members,
    join(member: Member): void {
      wakeUp();
      first ??= member;
      members.add(member);
    },
    /** Cancels what the program has in flight, and takes back its subscriptions. */
    leave(member: Member): void {
      if (!members.delete(member) || hasEnded) return;
      // Before they are cancelled: the server may have confirmed them meanwhile.
      const unwanted = subscriptions.forget(member);
      for (const number of inFlight.of(member)) cancel(number, { reason: 'The client disconnected.' });
      for (const [id, whom] of asked) {
        if (whom !== member) continue;
        asked.delete(id);
        const error = {
          code: RPC_CODES.internalError,
          message: 'The program that was asked has disconnected.',
        };
        tellServer({ jsonrpc: '2.0', id, error });
      }
      for (const request of unwanted) void ask(request).catch(() => undefined);
      if (members.size > 0) return;
      wakeUp();
      idle = clock.schedule(() => void close(), idleMs());
    },
    receive(member: Member, message: JSONRPCMessage): void {
      if (isResponse(message)) {
        if (message.id === undefined || asked.get(message.id) !== member) return;
        asked.delete(message.id);
        return tellServer(message);
      }
      if (isRequest(message)) {
        const adapted = subscriptions.request(member, message);
        if (isResponse(adapted)) member.send(adapted);
        else forward(member, adapted);
        return;
      }
      if (message.method === 'notifications/cancelled') {
        const number = inFlight.numberOf(member, message.params?.['requestId']);
        if (number !== undefined) cancel(number, message.params);
        return;
      }
      if (message.method === 'notifications/initialized') {
        // Only the first program's: for the server there is one client.
        if (isInitialized) return;
        isInitialized = true;
      }
      tellServer(message);
    },
    /** Begins the session, or answers from the session that another program has begun. */
    initialize(member: Member, request: JSONRPCRequest): void {
      const asking = (handshake ??= ask(request));
      asking.then(
        (response) => {
          // A refused handshake may succeed for the next program.
          if ('error' in response && handshake === asking) handshake = undefined;
          member.send({ ...response, id: request.id });
        },
        (error: unknown) => {
          if (handshake === asking) handshake = undefined;
          member.fail(request.id, asError(error));
        },
      );
    },
    /** The programs have negotiated this revision. */
    setProtocolVersion: (version: string) => transport.setProtocolVersion?.(version),
    close,
  };
}

function asError(error: unknown): FittingsError {
  if (error instanceof FittingsError) return error;
  return new TransportError('CONNECTION_LOST', 'The request could not be forwarded.', {
    cause: error,
    delivery: 'unknown',
  });
}

function closed(): TransportError {
  return new TransportError('CONNECTION_LOST', 'The shared process has stopped the server.');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof FittingsError ? error.code : undefined;
}

import { permits } from '../catalog/exposure.js';
import type { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, Logger, RequestId } from '@mcp-fittings/client-core';
import { isRequest, isRequestId } from '@mcp-fittings/toolbox/messages';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../contracts/caller.js';
import type { SessionPeers, SessionRecord } from '../contracts/session-store.js';
import type { Surface } from '../contracts/surface.js';
import { CLOSED, REFUSAL_CODES, refuse } from './refusals.js';
import { messagesIn, noteMessages } from './session-notes.js';
import { ownMessage, routeMessages, withReplica } from './session-routing.js';

/** Options of {@link openSession}. */
export interface OpenSessionOptions {
  readonly surface: Surface;
  readonly caller: Caller;
  readonly mount: Mount;
  /** What is known of the session: from the client's `initialize`, or from a store. */
  readonly record: SessionRecord;
  /**
   * Whose request is handled: tokens of one caller may allow different things. One for all sessions, because Node.js before 24 visits every
   * storage for every promise.
   */
  readonly current: AsyncLocalStorage<CurrentRequest>;
  /** Other replicas that may have the session too. */
  readonly peers?: SessionPeers | undefined;
  readonly keepAliveMs: number;
  readonly logger: Logger | undefined;
}

/** A request that a session handles. */
export interface CurrentRequest {
  /** Something that belongs to the session: what happens in the context of one may reach another one. */
  readonly session: object;
  readonly caller: Caller;
}

/** The session of one client before revision 2026-07-28. */
export interface Session {
  /** What another replica needs to continue the session. A new object after each change. */
  readonly record: SessionRecord;
  /** Whether no request is in flight and no event stream is open. */
  readonly isIdle: boolean;
  /** Answers a request of the caller. Its signal must be aborted as soon as the response has ended, for any reason. */
  handle(request: Request, body: unknown, caller: Caller): Promise<Response>;
  /** Takes messages of the client that another replica has received. */
  receive(messages: readonly JSONRPCMessage[]): Promise<void>;
  /** Tells the server what the record says, as the client has done at another replica. Rejects if the server refuses. */
  replay(): Promise<void>;
  /** Withdraws the calls with an error, and ends the event streams. */
  close(): Promise<void>;
}

/** Opens a session: the SDK's server of the surface on a Streamable HTTP transport. */
export async function openSession(options: OpenSessionOptions): Promise<Session> {
  const { surface, mount, keepAliveMs, logger, peers, current } = options;
  let { record, caller: latest } = options;
  /** The client's requests that have no response, and whether each was alone in its body. */
  const unanswered = new Map<RequestId, { readonly alone: boolean }>();
  let streams = 0;

  const transport = new SessionTransport((id) => unanswered.delete(id), peers?.replica, {
    sessionIdGenerator: () => record.id,
    keepAliveMs,
  });
  const callerOf = (request: CurrentRequest | undefined): Caller =>
    request?.session === transport ? request.caller : latest;
  const server = surface.createServer({
    caller: {
      id: latest.id,
      principal: latest.principal,
      allows: (...asked) => permits(callerOf(current.getStore()), ...asked),
    },
    mount,
    era: 'legacy',
  });
  await server.connect(transport);
  const { onerror } = transport;
  transport.onerror = (error) => {
    onerror?.(error);
    logger?.debug(error.message);
  };

  /** Lets the transport forget a request that gets no response. */
  const release = async (id: RequestId, alone: boolean): Promise<void> => {
    unanswered.delete(id);
    if (alone) transport.closeSSEStream(id);
    const error = { code: REFUSAL_CODES.general, message: 'The request was canceled.' };
    await transport.send({ jsonrpc: '2.0', id, error }).catch(() => undefined);
  };
  const withdraw = (ids: readonly RequestId[]): void => {
    for (const id of ids) {
      if (!unanswered.has(id)) continue;
      const params = { requestId: id, reason: 'The client has closed the response.' };
      transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      void release(id, true);
    }
  };

  const tell = async (messages: readonly JSONRPCMessage[], replica?: string): Promise<void> => {
    const { id, callerId } = record;
    if (messages.length > 0) await peers?.tell({ sessionId: id, callerId, messages, ended: false }, replica);
  };
  /** Passes on what is for other replicas, and returns the body without it. */
  const route = async (body: unknown): Promise<unknown> => {
    if (peers === undefined) return body;
    const all = messagesIn(body);
    const { own, byReplica, forAll } = routeMessages(all, peers.replica, (id) => unanswered.has(id));
    await Promise.all([
      tell(forAll),
      ...Array.from(byReplica, ([replica, messages]) => tell(messages, replica)),
    ]);
    // What is not a message stays, so that the transport refuses it.
    if (!Array.isArray(body)) return all.length === 0 ? body : own[0];
    return all.length < body.length ? body : own;
  };

  const handle: Session['handle'] = async (request, received, caller) => {
    latest = caller;
    const body = request.method === 'POST' ? await route(received) : received;
    const messages = messagesIn(body);
    // The transport has nothing to do with what was for other replicas alone.
    if (request.method === 'POST' && messagesIn(received).length > 0 && messages.length === 0) {
      return new Response(null, { status: 202 });
    }
    const ids = messages.filter(isRequest).map(({ id }) => id);
    if (ids.some((id) => unanswered.has(id)) || new Set(ids).size < ids.length) {
      return refuse(400, 'A request with this id is in flight.', { code: REFUSAL_CODES.invalidRequest });
    }
    for (const id of ids) unanswered.set(id, { alone: ids.length === 1 });
    const isStream = request.method === 'GET';
    if (isStream) streams += 1;
    const response = await current.run({ session: transport, caller }, () =>
      transport.handleRequest(request, body === undefined ? {} : { parsedBody: body }),
    );
    if (response.status < 300) {
      const noted = messages.filter((message) => noteMessages(record, [message]) !== record);
      record = noteMessages(record, messages);
      await tell(noted);
    }
    const ended = (): void => {
      if (isStream) streams -= 1;
      withdraw(ids);
    };
    if (response.status !== 200 && isStream) streams -= 1;
    if (response.status !== 200) for (const id of ids) unanswered.delete(id);
    else if (request.signal.aborted) ended();
    else request.signal.addEventListener('abort', ended, { once: true });
    for (const id of messages.flatMap(canceledBy)) {
      const canceled = unanswered.get(id);
      // oxlint-disable-next-line no-await-in-loop -- a body cancels one request
      if (canceled !== undefined) await release(id, canceled.alone);
    }
    return response;
  };

  const post = async (message: Readonly<Record<string, unknown>>): Promise<void> => {
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': record.id,
      },
    });
    const parsedBody = { jsonrpc: '2.0', ...message };
    const response = await current.run({ session: transport, caller: latest }, () =>
      transport.handleRequest(request, { parsedBody }),
    );
    await response.text();
    if (!response.ok) throw new Error(`The replay of ${String(message['method'])} was refused.`);
  };
  const replay = async (): Promise<void> => {
    const { initialize, logLevel, subscriptions } = record;
    const id = `replay-${record.id}`;
    await post({ id, method: 'initialize', params: initialize });
    await post({ method: 'notifications/initialized' });
    if (logLevel !== undefined) await post({ id, method: 'logging/setLevel', params: { level: logLevel } });
    for (const uri of subscriptions) {
      // oxlint-disable-next-line no-await-in-loop -- they have one id
      await post({ id, method: 'resources/subscribe', params: { uri } });
    }
  };

  let relayed = 0;
  const receive: Session['receive'] = async (messages) => {
    for (const message of messages) {
      for (const id of canceledBy(message)) {
        const canceled = unanswered.get(id);
        if (canceled === undefined) continue;
        transport.onmessage?.(message);
        // oxlint-disable-next-line no-await-in-loop -- in the order of the client
        await release(id, canceled.alone);
      }
      if (isRequest(message)) {
        record = noteMessages(record, [message]);
        // oxlint-disable-next-line no-await-in-loop -- in the order of the client
        await post({ ...message, id: `relayed-${++relayed}-${record.id}` });
      } else if (canceledBy(message).length === 0) {
        current.run({ session: transport, caller: latest }, () =>
          transport.onmessage?.(ownMessage(message, peers?.replica ?? '')),
        );
      }
    }
  };

  return {
    get record() {
      return record;
    },
    get isIdle() {
      return unanswered.size === 0 && streams === 0;
    },
    handle,
    receive,
    replay,
    async close() {
      const { code, message, data } = CLOSED;
      const error = { code, message, data: { ...data } };
      const sends = [...unanswered.keys()].map((id) => transport.send({ jsonrpc: '2.0', id, error }));
      await Promise.allSettled(sends);
      await server.close();
    },
  };
}

/** Returns the request that a message of the client cancels. */
function canceledBy(message: JSONRPCMessage): readonly RequestId[] {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return [];
  const id = message.params?.['requestId'];
  return isRequestId(id) ? [id] : [];
}

/** Reports which requests have got their response, and marks the requests to the client with the name of the replica. */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #onAnswer: (id: RequestId) => void;
  readonly #replica: string | undefined;

  constructor(
    onAnswer: (id: RequestId) => void,
    replica: string | undefined,
    options: ConstructorParameters<typeof WebStandardStreamableHTTPServerTransport>[0],
  ) {
    super(options);
    this.#onAnswer = onAnswer;
    this.#replica = replica;
  }

  override async send(...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>) {
    if (!('method' in message) && message.id !== undefined) this.#onAnswer(message.id);
    return super.send(this.#replica === undefined ? message : withReplica(message, this.#replica), options);
  }
}

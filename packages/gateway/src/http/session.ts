import type { Clock, JSONRPCMessage, RequestId } from '@mcp-fittings/client-core';
import { InFlight } from '@mcp-fittings/toolbox/base-transport';
import { isRequest, isRequestId, isResponse } from '@mcp-fittings/toolbox/messages';
import { permits, type Scope } from '../catalog/exposure.js';
import type { Caller } from '../contracts/caller.js';
import type { Resumption, Sink } from '../contracts/event-stream.js';
import type { Surface } from '../contracts/surface.js';
import { Peer } from '../rpc/peer.js';
import { idOfReplica, replicaOf } from '../state/replica-ids.js';
import { noteMessages, type SessionRecord, type SharedSessions } from '../state/shared-sessions.js';
import { Backlog, isStandalone } from './backlog.js';
import type { Exchange, ResponseHeaders } from './exchange.js';
import { CLOSED, REFUSAL_CODES, refuse } from './refusals.js';
import { Reply } from './reply.js';

/** Options of {@link Session}. */
export interface SessionOptions extends Scope {
  readonly surface: Surface;
  /** Record of the session: from the client's `initialize`, or from another replica. */
  readonly record: SessionRecord;
  /** The sessions of all replicas, which may have this one too; undefined for the only replica. */
  readonly shared: SharedSessions | undefined;
  /** Keeps for other replicas what the client has changed. */
  readonly keep: (session: Session, messages: readonly JSONRPCMessage[]) => Promise<void>;
  readonly keepAliveMs: number;
  /** Milliseconds for which an event stream can be resumed; 0: none can. */
  readonly resumeMs: number;
  /** Most characters of events that are kept for it. */
  readonly resumeLength: number;
  readonly clock: Clock;
}

/** The session of one client before revision 2026-07-28. */
export class Session {
  readonly #options: SessionOptions;
  readonly #peer: Peer;
  /** The responses in which the client's requests are answered. */
  readonly #replies = new InFlight<Reply>();
  readonly #headers: ResponseHeaders;
  readonly #backlog: Backlog | undefined;
  #stream: Reply | undefined;
  /** Tokens of one caller may allow different things; the latest counts for what belongs to no request. */
  #latest: Caller;
  /** The record with which another replica can continue the session. A new object after each change. */
  record: SessionRecord;

  constructor(options: SessionOptions) {
    const { surface, caller, mount, record, shared, resumeMs, clock } = options;
    this.#options = options;
    this.#latest = caller;
    this.record = record;
    this.#headers = { 'mcp-session-id': record.id };
    const { protocolVersion } = record.initialize;
    if (resumeMs > 0) {
      this.#backlog = new Backlog({
        replica: shared?.replica,
        hasEmptyEvents: typeof protocolVersion === 'string' && protocolVersion >= EMPTY_EVENTS,
        maxLength: options.resumeLength,
        keepMs: resumeMs,
        clock,
      });
    }
    this.#peer = new Peer({
      surface,
      caller: {
        id: caller.id,
        principal: caller.principal,
        allows: (...asked) => permits(this.#latest, ...asked),
      },
      mount,
      clock,
      send: (message, related) => this.#send(message, related),
      // Every replica knows then whom a response is for.
      idPrefix: shared && idOfReplica(shared.replica, ''),
    });
  }

  /** True if no request is in flight and no event stream is open. A request whose client may return is in flight. */
  get isIdle(): boolean {
    return this.#replies.size === 0 && this.#stream?.isAttached !== true;
  }

  /** Number of requests in flight whose client has lost the connection of the request. */
  get movedRequests(): number {
    return this.#replies.values().filter(({ isMoved }) => isMoved).length;
  }

  /** Opens the event stream of the session. Returns the refusal if there is one already. */
  listen(exchange: Exchange): Response | undefined {
    if (exchange.isOver) return undefined;
    if (this.#stream?.isAttached === true)
      return refuse(409, 'Only one event stream is allowed per session.');
    this.#stream?.drop();
    const stream = this.#reply(exchange, 0);
    this.#stream = stream;
    stream.onOver(() => {
      if (this.#stream === stream) this.#stream = undefined;
    });
    return undefined;
  }

  /**
   * Continues an event stream after an event that the client has got. Returns the refusal if what comes after it is not kept. A stream that
   * belongs to no request has no answer to lose, and begins again then.
   */
  async resume(exchange: Exchange, eventId: string): Promise<Response | undefined> {
    const { shared } = this.#options;
    const { id: sessionId, callerId } = this.record;
    const open = (): Sink => {
      exchange.openStream(this.#headers);
      return exchange;
    };
    const replica = replicaOf(eventId);
    let outcome = this.continue(eventId, open);
    if (outcome === 'unknown' && isStandalone(eventId)) return this.listen(exchange);
    if (outcome === 'unknown' && replica !== undefined && replica !== shared?.replica)
      outcome =
        (await shared?.streams.resume(replica, { sessionId, callerId, eventId }, exchange, open)) ?? outcome;
    if (outcome === 'unknown') return refuse(400, 'The events after this one are not kept.');
    // Version 1 of the SDK asks for more after an error response, and no more after this.
    return outcome === 'complete'
      ? refuse(405, 'The event stream is complete.', { headers: { allow: 'POST, DELETE' } })
      : undefined;
  }

  /** Continues an event stream of this replica. */
  continue(eventId: string, open: () => Sink): Resumption {
    return this.#backlog?.resume(eventId, open) ?? 'unknown';
  }

  /** Takes the messages of a POST of the caller. Returns the refusal if it does not answer. */
  async post(
    exchange: Exchange,
    received: readonly JSONRPCMessage[],
    caller: Caller,
  ): Promise<Response | undefined> {
    this.#latest = caller;
    const { shared } = this.#options;
    const routed = shared === undefined ? received : await this.#route(shared, received);
    // A client that has left meanwhile gets no answer.
    const messages = exchange.isOver ? routed.filter((message) => !isRequest(message)) : routed;
    const ids = messages.filter(isRequest).map(({ id }) => id);
    if (ids.some((id) => this.#replies.has(id)) || new Set(ids).size < ids.length) {
      return refuse(400, 'A request with this id is in flight.', { code: REFUSAL_CODES.invalidRequest });
    }
    const reply = ids.length === 0 ? undefined : this.#reply(exchange, ids.length);
    for (const id of ids) if (reply !== undefined) this.#replies.set(id, reply);
    reply?.onOver(() => this.#withdraw(ids, reply));
    const noted = messages.filter((message) => noteMessages(this.record, [message]) !== this.record);
    if (noted.length > 0) {
      this.record = noteMessages(this.record, noted);
      await this.#options.keep(this, noted);
    }
    for (const message of messages) this.#take(message, caller);
    if (reply === undefined) exchange.respond(202, {});
    return undefined;
  }

  /** Takes messages of the client that another replica has received. */
  async receive(messages: readonly JSONRPCMessage[]): Promise<void> {
    for (const message of messages) {
      if (!isRequest(message)) {
        this.#take(message, this.#latest);
        continue;
      }
      this.record = noteMessages(this.record, [message]);
      // oxlint-disable-next-line no-await-in-loop -- in the order of the client
      await this.#peer.perform(message.method, message.params ?? {}, this.#latest);
    }
  }

  /**
   * Tells the server what the record says, as the client has done at another replica. Rejects if the server refuses the session; what else it
   * refuses, it has refused there too.
   */
  async replay(): Promise<void> {
    const { initialize, logLevel, subscriptions } = this.record;
    const perform = (method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> =>
      this.#peer.perform(method, params, this.#latest, { isReplayed: true });
    await perform('initialize', initialize);
    await Promise.allSettled([
      logLevel !== undefined && perform('logging/setLevel', { level: logLevel }),
      ...subscriptions.map((uri) => perform('resources/subscribe', { uri })),
    ]);
  }

  /** Withdraws the calls with an error, and ends the event streams. */
  close(): void {
    const { code, message, data } = CLOSED;
    for (const id of this.#replies.ids())
      this.#send({ jsonrpc: '2.0', id, error: { code, message, data: { ...data } } });
    this.#stream?.end();
    this.#backlog?.close();
    this.#peer.close();
  }

  #reply(exchange: Exchange, requests: number): Reply {
    const { keepAliveMs, clock } = this.#options;
    const headers = this.#headers;
    return new Reply(exchange, { keepAliveMs, clock, headers, requests, backlog: this.#backlog });
  }

  #send(message: JSONRPCMessage, related?: RequestId): void {
    const id = isResponse(message) ? message.id : related;
    const reply = id === undefined ? this.#stream : this.#replies.get(id);
    if (isResponse(message) && id !== undefined) this.#replies.delete(id);
    reply?.send(message);
  }

  #take(message: JSONRPCMessage, caller: Caller): void {
    this.#peer.receive(message, caller);
    const id = canceledBy(message);
    if (id === undefined) return;
    const reply = this.#replies.get(id);
    this.#replies.delete(id);
    reply?.release();
  }

  /** The response is over, for whatever reason: what it has not answered is not waited for. */
  #withdraw(ids: readonly RequestId[], reply: Reply): void {
    for (const id of ids) {
      if (this.#replies.get(id) !== reply) continue;
      this.#replies.delete(id);
      this.#peer.cancel(id, 'The client has closed the response.');
    }
  }

  /**
   * Passes on the responses that are for other replicas, and to all of them the cancellations of requests that are not answered here. Returns
   * what is for this one. Rejects with `STORE_UNAVAILABLE` if a response could not be passed on: the client can send it again.
   */
  async #route(
    shared: SharedSessions,
    messages: readonly JSONRPCMessage[],
  ): Promise<readonly JSONRPCMessage[]> {
    const { id: sessionId, callerId } = this.record;
    const ofSession = { sessionId, callerId, ended: false };
    const own: JSONRPCMessage[] = [];
    const forAll: JSONRPCMessage[] = [];
    const byReplica = new Map<string, JSONRPCMessage[]>();
    for (const message of messages) {
      const to = isResponse(message) ? replicaOf(message.id) : undefined;
      if (to !== undefined && to !== shared.replica)
        byReplica.set(to, [...(byReplica.get(to) ?? []), message]);
      else own.push(message);
      const canceled = canceledBy(message);
      if (canceled !== undefined && !this.#replies.has(canceled)) forAll.push(message);
    }
    await Promise.all([
      forAll.length > 0 && shared.tell({ ...ofSession, messages: forAll }),
      ...Array.from(byReplica, ([replica, those]) => shared.pass(replica, { ...ofSession, messages: those })),
    ]);
    return own;
  }
}

/** First revision whose clients read events without data. */
const EMPTY_EVENTS = '2025-11-25';

/** Returns the id of the request that a notification cancels. */
function canceledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return isRequestId(id) ? id : undefined;
}

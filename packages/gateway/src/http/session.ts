import type { Clock, JSONRPCMessage, RequestId } from '@mcp-fittings/client-core';
import { isRequest, isRequestId, isResponse } from '@mcp-fittings/toolbox/messages';
import { permits } from '../catalog/exposure.js';
import type { Caller, Mount } from '../contracts/caller.js';
import type { Surface } from '../contracts/surface.js';
import { Peer } from '../rpc/peer.js';
import { noteMessages, type SessionRecord, type SharedSessions } from '../state/shared-sessions.js';
import type { Exchange } from './exchange.js';
import type { Heartbeat } from './heartbeat.js';
import { CLOSED, REFUSAL_CODES, refuse } from './refusals.js';
import { Reply } from './reply.js';

/** Options of {@link Session}. */
export interface SessionOptions {
  readonly surface: Surface;
  readonly caller: Caller;
  readonly mount: Mount;
  /** Record of the session: from the client's `initialize`, or from another replica. */
  readonly record: SessionRecord;
  /** The sessions of all replicas, which may have this one too; undefined for the only replica. */
  readonly shared: SharedSessions | undefined;
  /** Keeps for other replicas what the client has changed. */
  readonly keep: (session: Session, messages: readonly JSONRPCMessage[]) => Promise<void>;
  readonly heartbeat: Heartbeat;
  readonly clock: Clock;
}

/** The session of one client before revision 2026-07-28. */
export class Session {
  readonly #options: SessionOptions;
  readonly #peer: Peer;
  /** The responses in which the client's requests are answered. */
  readonly #replies = new Map<RequestId, Reply>();
  #stream: Reply | undefined;
  /** Tokens of one caller may allow different things; the latest counts for what belongs to no request. */
  #latest: Caller;
  /** The record with which another replica can continue the session. A new object after each change. */
  record: SessionRecord;

  constructor(options: SessionOptions) {
    const { surface, caller, mount, record, shared, clock } = options;
    this.#options = options;
    this.#latest = caller;
    this.record = record;
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
      idPrefix: shared && `${shared.replica}${REPLICA_END}`,
    });
  }

  /** True if no request is in flight and no event stream is open. */
  get isIdle(): boolean {
    return this.#replies.size === 0 && this.#stream === undefined;
  }

  /** Opens the event stream of the session. Returns the refusal if there is one already. */
  listen(exchange: Exchange): Response | undefined {
    if (this.#stream !== undefined) return refuse(409, 'Only one event stream is allowed per session.');
    const stream = this.#reply(exchange, 0);
    this.#stream = stream;
    exchange.onOver(() => {
      if (this.#stream === stream) this.#stream = undefined;
    });
    return undefined;
  }

  /** Takes the messages of a POST of the caller. Returns the refusal if it does not answer. */
  async post(
    exchange: Exchange,
    received: readonly JSONRPCMessage[],
    caller: Caller,
  ): Promise<Response | undefined> {
    this.#latest = caller;
    const messages = await this.#route(received);
    const ids = messages.filter(isRequest).map(({ id }) => id);
    if (ids.some((id) => this.#replies.has(id)) || new Set(ids).size < ids.length) {
      return refuse(400, 'A request with this id is in flight.', { code: REFUSAL_CODES.invalidRequest });
    }
    const reply = ids.length === 0 ? undefined : this.#reply(exchange, ids.length);
    for (const id of ids) if (reply !== undefined) this.#replies.set(id, reply);
    if (reply !== undefined) exchange.onOver(() => this.#withdraw(ids, reply));
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

  /** Tells the server what the record says, as the client has done at another replica. Rejects if the server refuses. */
  async replay(): Promise<void> {
    const { initialize, logLevel, subscriptions } = this.record;
    const perform = (method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> =>
      this.#peer.perform(method, params, this.#latest);
    await perform('initialize', initialize);
    if (logLevel !== undefined) await perform('logging/setLevel', { level: logLevel });
    await Promise.all(subscriptions.map((uri) => perform('resources/subscribe', { uri })));
  }

  /** Withdraws the calls with an error, and ends the event streams. */
  close(): void {
    const { code, message, data } = CLOSED;
    for (const id of this.#replies.keys())
      this.#send({ jsonrpc: '2.0', id, error: { code, message, data: { ...data } } });
    this.#stream?.end();
    this.#peer.close();
  }

  #reply(exchange: Exchange, requests: number): Reply {
    const headers = { 'mcp-session-id': this.record.id };
    return new Reply(exchange, { heartbeat: this.#options.heartbeat, headers, requests });
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
   * what is for this one.
   */
  async #route(messages: readonly JSONRPCMessage[]): Promise<readonly JSONRPCMessage[]> {
    const { shared } = this.#options;
    if (shared === undefined) return messages;
    const { id: sessionId, callerId } = this.record;
    const tell = (those: readonly JSONRPCMessage[], replica?: string): Promise<void> =>
      shared.tell({ sessionId, callerId, messages: those, ended: false }, replica);
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
      forAll.length > 0 && tell(forAll),
      ...Array.from(byReplica, ([replica, those]) => tell(those, replica)),
    ]);
    return own;
  }
}

/** The ids of the requests that a replica sends to clients begin with its name and this, so that every replica knows whom a response is for. */
const REPLICA_END = '~';

function replicaOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return undefined;
  const end = id.lastIndexOf(REPLICA_END);
  return end > 0 ? id.slice(0, end) : undefined;
}

/** Returns the id of the request that a notification cancels. */
function canceledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return isRequestId(id) ? id : undefined;
}

import { randomUUID } from 'node:crypto';
import { FittingsError, type JSONRPCMessage, type Logger } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isRecent } from '@mcp-fittings/toolbox/timing';
import type { Scope } from '../catalog/exposure.js';
import type { SessionRecord, SharedSessions } from '../state/shared-sessions.js';
import type { Exchange } from './exchange.js';
import { REFUSAL_CODES, refuse } from './refusals.js';
import { Session, type SessionOptions } from './session.js';

/** Options of {@link Sessions}. */
export interface SessionsOptions extends Omit<SessionOptions, keyof Scope | 'record' | 'keep'> {
  readonly max: number;
  readonly maxPerCaller: number;
  readonly idleMs: number;
  readonly logger: Logger | undefined;
}

interface OpenSession {
  readonly session: Session;
  timer: Disposable | undefined;
}

/** Sessions of the clients of revisions before 2026-07-28. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** In the order of last use. */
  readonly #table = new Map<string, OpenSession>();
  /** Sessions that are being opened, by caller. */
  readonly #opening = new Map<string, number>();
  readonly #restoring = new Map<string, Promise<Session | Response>>();
  /** Time at which the store failed last, or is asked again since; undefined while it works. */
  #failedAt: number | undefined;
  #isClosed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    options.shared?.streams.serve(({ sessionId, callerId, eventId }, open) => {
      const session = this.#table.get(sessionId)?.session;
      return session?.record.callerId === callerId ? session.continue(eventId, open) : 'unknown';
    });
    options.shared?.receive(({ sessionId, callerId, messages, ended }) => {
      const session = this.#table.get(sessionId)?.session;
      if (session === undefined || session.record.callerId !== callerId) return;
      if (ended) this.#end(sessionId);
      else void session.receive(messages).catch((error: unknown) => this.#debug(error));
    });
  }

  /** Number of sessions on this replica. */
  get size(): number {
    return this.#table.size;
  }

  /** Number of requests in flight whose clients have lost the connection of the request. */
  get movedRequests(): number {
    return Array.from(this.#table.values()).reduce((sum, { session }) => sum + session.movedRequests, 0);
  }

  /**
   * Answers a request of a sender; `messages` are those of a POST. Returns the refusal if it does not answer.
   */
  async handle(
    exchange: Exchange,
    messages: readonly JSONRPCMessage[],
    sender: Scope,
  ): Promise<Response | undefined> {
    try {
      return await this.#handle(exchange, messages, sender);
    } catch (error) {
      if (!(error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE')) throw error;
      this.#options.logger?.error(error.message, { cause: String(error.cause) });
      return refuse(503, 'Sessions are not available.', { headers: { 'retry-after': RETRY_SECONDS } });
    }
  }

  /** Ends the sessions on this replica. */
  close(): void {
    this.#isClosed = true;
    for (const id of this.#table.keys()) this.#end(id);
  }

  async #handle(
    exchange: Exchange,
    messages: readonly JSONRPCMessage[],
    sender: Scope,
  ): Promise<Response | undefined> {
    const id = exchange.header('mcp-session-id');
    const handshake = messages.find((message) => 'method' in message && message.method === 'initialize');
    if (id === undefined) {
      if (handshake !== undefined && messages.length === 1 && isHandshake(handshake))
        return this.#begin(exchange, handshake, sender);
      return refuse(400, 'A request without a session must be `initialize`.');
    }
    const { shared } = this.#options;
    const found =
      this.#known(id, sender) ?? (shared === undefined ? notFound() : await this.#find(shared, id, sender));
    if (found instanceof Response) return found;
    if (shared !== undefined && !(await this.#stillExists(shared, id))) {
      this.#end(id);
      return notFound();
    }
    const entry = this.#table.get(id);
    if (entry === undefined) return notFound();
    this.#use(id, entry);
    if (exchange.method === 'GET') {
      exchange.onOver(() => void this.#renew(id, entry));
      const eventId = exchange.header('last-event-id');
      // An empty one resets it, in the standard of event streams.
      return eventId === undefined || eventId === ''
        ? found.listen(exchange)
        : found.resume(exchange, eventId);
    }
    if (exchange.method === 'DELETE') {
      await shared?.delete(found.record);
      this.#end(id);
      exchange.respond(200, {});
      return undefined;
    }
    if (handshake !== undefined) {
      return refuse(400, 'The session has begun already.', { code: REFUSAL_CODES.invalidRequest });
    }
    return found.post(exchange, messages, sender.caller);
  }

  async #begin(exchange: Exchange, handshake: JSONRPCMessage, sender: Scope): Promise<Response | undefined> {
    const { caller, mount } = sender;
    const params = 'params' in handshake ? handshake.params : undefined;
    const record: SessionRecord = {
      id: randomUUID(),
      callerId: caller.id,
      principal: caller.principal,
      server: mount.server,
      initialize: params ?? {},
      subscriptions: [],
    };
    const session = await this.#open(record, sender, () =>
      Promise.resolve(this.#options.shared?.save(record, this.#options.idleMs)),
    );
    return session === undefined ? full() : session.post(exchange, [handshake], caller);
  }

  /** Opens a session, and adds it to the table if `begin` succeeds with it. Returns `undefined` if there is no room. */
  async #open(
    record: SessionRecord,
    { caller, mount }: Scope,
    begin: (session: Session) => Promise<void>,
  ): Promise<Session | undefined> {
    if (this.#isClosed || !this.#makeRoom(caller.id)) return undefined;
    this.#opening.set(caller.id, (this.#opening.get(caller.id) ?? 0) + 1);
    const keep: SessionOptions['keep'] = (...changed) => this.#keep(...changed);
    const session = new Session({ ...this.#options, caller, mount, record, keep });
    let isAdded = false;
    try {
      await begin(session);
      isAdded = !this.#isClosed;
      if (isAdded) this.#use(record.id, { session, timer: undefined });
      return isAdded ? session : undefined;
    } finally {
      if (!isAdded) session.close();
      const left = (this.#opening.get(caller.id) ?? 1) - 1;
      if (left === 0) this.#opening.delete(caller.id);
      else this.#opening.set(caller.id, left);
    }
  }

  /** Returns whether there is room for one session of the caller, after ending an idle one if necessary. Nothing may wait before it is used. */
  #makeRoom(callerId: string): boolean {
    const { max, maxPerCaller } = this.#options;
    const own = [...this.#table].filter(([, { session }]) => session.record.callerId === callerId);
    const pending = [...this.#opening.values()].reduce((sum, count) => sum + count, 0);
    const isFullForCaller = own.length + (this.#opening.get(callerId) ?? 0) >= maxPerCaller;
    if (!isFullForCaller && this.#table.size + pending < max) return true;
    const candidates = isFullForCaller ? own : [...own, ...this.#table];
    const idle = candidates.find(([, { session }]) => session.isIdle);
    if (idle === undefined) return false;
    this.#end(idle[0]);
    return true;
  }

  /** Returns a session of this replica. */
  #known(id: string, sender: Scope): Session | Response | undefined {
    const known = this.#table.get(id)?.session;
    return known === undefined || isSessionOf(known.record, sender) ? known : notFound();
  }

  /** Finds a session that is not of this replica, or not yet. */
  async #find(shared: SharedSessions, id: string, sender: Scope): Promise<Session | Response> {
    const pending = this.#restoring.get(id);
    if (pending !== undefined) {
      await pending.catch(() => undefined);
      return this.#known(id, sender) ?? this.#find(shared, id, sender);
    }
    const restored = this.#restore(shared, id, sender).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restored);
    return restored;
  }

  /** Creates a session again that another replica has begun. */
  async #restore(shared: SharedSessions, id: string, sender: Scope): Promise<Session | Response> {
    const record = await shared.get(id);
    if (record === undefined || !isSessionOf(record, sender)) return notFound();
    return (await this.#open(record, sender, (session) => session.replay())) ?? full();
  }

  /** A store that is away does not end the sessions that this replica knows, nor does each request wait for it. */
  async #stillExists(shared: SharedSessions, id: string): Promise<boolean> {
    const { idleMs, logger, clock } = this.#options;
    if (this.#failedAt !== undefined) {
      if (isRecent(this.#failedAt, STORE_RETRY_MS, clock.now())) return true;
      this.#failedAt = clock.now();
    }
    try {
      const exists = await shared.touch(id, idleMs);
      this.#failedAt = undefined;
      return exists;
    } catch (error) {
      this.#failedAt = clock.now();
      logger?.warn('Sessions continue without their store.', { error: String(error) });
      return true;
    }
  }

  /** Keeps what a client has changed, for other replicas, and tells them. */
  async #keep({ record }: Session, messages: readonly JSONRPCMessage[]): Promise<void> {
    const { idleMs, logger, shared } = this.#options;
    const { id, callerId } = record;
    await shared?.tell({ sessionId: id, callerId, messages, ended: false });
    await shared?.change(id, messages, idleMs).catch((error: unknown) => {
      logger?.warn('A change of a session was not kept for other replicas.', { error: String(error) });
    });
  }

  /** Restarts the time after which the session ends. While it is in use, its record is kept as well. */
  #use(id: string, open: OpenSession): void {
    const { clock, idleMs } = this.#options;
    this.#table.delete(id);
    this.#table.set(id, open);
    let idleHalves = 0;
    const onHalf = (): void => {
      if (!open.session.isIdle) void this.#renew(id, open);
      else if (++idleHalves === 2) this.#end(id);
      else schedule();
    };
    const schedule = (): void => {
      open.timer?.[Symbol.dispose]();
      open.timer = clock.schedule(onHalf, idleMs / 2, { unref: true });
    };
    schedule();
  }

  async #renew(id: string, open: OpenSession): Promise<void> {
    const { shared } = this.#options;
    if (this.#table.get(id) !== open) return;
    this.#use(id, open);
    if (shared !== undefined && !(await this.#stillExists(shared, id))) this.#end(id);
  }

  #end(id: string): void {
    const entry = this.#table.get(id);
    this.#table.delete(id);
    entry?.timer?.[Symbol.dispose]();
    entry?.session.close();
  }

  #debug(error: unknown): void {
    this.#options.logger?.debug('A relayed message failed.', { error: String(error) });
  }
}

function isSessionOf(record: SessionRecord, { caller, mount }: Scope): boolean {
  return (
    record.callerId === caller.id && record.principal === caller.principal && record.server === mount.server
  );
}

/** Returns whether a request begins a session. */
function isHandshake(message: JSONRPCMessage): boolean {
  if (!('id' in message) || !('params' in message) || !isRecord(message.params)) return false;
  const { protocolVersion, capabilities, clientInfo } = message.params;
  if (typeof protocolVersion !== 'string' || !isRecord(capabilities) || !isRecord(clientInfo)) return false;
  return typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string';
}

/** The same for a session that belongs to another caller. */
function notFound(): Response {
  return refuse(404, 'The session does not exist.', { code: REFUSAL_CODES.sessionNotFound });
}

const RETRY_SECONDS = '10';
/** After a failure of the store, how long sessions continue without it. */
const STORE_RETRY_MS = 1000;

function full(): Response {
  return refuse(503, 'The gateway has reached its maximum number of sessions.', {
    headers: { 'retry-after': RETRY_SECONDS },
  });
}

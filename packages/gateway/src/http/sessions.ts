import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../contracts/caller.js';
import type { SessionRecord, SessionStore } from '../contracts/session-store.js';
import type { Surface } from '../contracts/surface.js';
import { REFUSAL_CODES, refuse } from './refusals.js';
import { type CurrentRequest, type Session, openSession } from './session.js';
import { messagesIn, noteMessages } from './session-notes.js';

/** Options of {@link createSessions}. */
export interface SessionsOptions {
  readonly surface: Surface;
  readonly max: number;
  readonly maxPerCaller: number;
  readonly idleMs: number;
  readonly store: SessionStore | undefined;
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Sessions of the clients of revisions before 2026-07-28. */
export interface Sessions {
  /** Number of sessions on this replica. */
  readonly size: number;
  /** Answers a request of the caller at a mount. Its signal must be aborted as soon as the response has ended. */
  handle(request: Request, body: unknown, caller: Caller, mount: Mount): Promise<Response>;
  /** Ends the sessions on this replica. */
  close(): Promise<void>;
}

interface OpenSession {
  readonly session: Session;
  readonly callerId: string;
  timer: Disposable | undefined;
}

/** Creates the table of sessions. The order of the table is that of last use. */
export function createSessions(options: SessionsOptions): Sessions {
  const { surface, max, maxPerCaller, idleMs, keepAliveMs, clock, logger } = options;
  const store = options.store && withStoreErrors(options.store);
  const peers = options.store?.peers;
  const current = new AsyncLocalStorage<CurrentRequest>();
  const table = new Map<string, OpenSession>();
  /** Sessions that are being opened, by caller. */
  const opening = new Map<string, number>();
  const restoring = new Map<string, Promise<Session | Response>>();
  let isClosed = false;

  const end = async (id: string): Promise<void> => {
    const entry = table.get(id);
    table.delete(id);
    entry?.timer?.[Symbol.dispose]();
    // What fails while a session ends has no one to tell.
    await entry?.session.close().catch((error: unknown) => logger?.debug(String(error)));
  };
  const use = (id: string, open: OpenSession): void => {
    open.timer?.[Symbol.dispose]();
    table.delete(id);
    table.set(id, open);
    open.timer = clock.schedule(() => (open.session.isIdle ? void end(id) : use(id, open)), idleMs, {
      unref: true,
    });
  };

  /** Returns whether there is room for one session of the caller, after ending an idle one if necessary. Nothing may wait before it is used. */
  const makeRoom = (callerId: string): boolean => {
    const own = [...table].filter(([, open]) => open.callerId === callerId);
    const pending = [...opening.values()].reduce((sum, count) => sum + count, 0);
    const isFullForCaller = own.length + (opening.get(callerId) ?? 0) >= maxPerCaller;
    if (!isFullForCaller && table.size + pending < max) return true;
    const candidates = isFullForCaller ? own : [...own, ...table];
    const idle = candidates.find(([, open]) => open.session.isIdle);
    if (idle === undefined) return false;
    void end(idle[0]);
    return true;
  };

  /** Opens a session, and adds it to the table if `begin` succeeds with it. */
  const open = async <T>(
    record: SessionRecord,
    caller: Caller,
    mount: Mount,
    begin: (session: Session) => Promise<T>,
    succeeded: (result: T) => boolean,
  ): Promise<{ readonly session: Session; readonly result: T } | undefined> => {
    if (isClosed || !makeRoom(caller.id)) return undefined;
    opening.set(caller.id, (opening.get(caller.id) ?? 0) + 1);
    try {
      const session = await openSession({
        surface,
        caller,
        mount,
        record,
        peers,
        current,
        keepAliveMs,
        logger,
      });
      const closeUnlessAdded = { isAdded: false };
      try {
        const result = await begin(session);
        closeUnlessAdded.isAdded = succeeded(result) && !isClosed;
        if (closeUnlessAdded.isAdded) use(record.id, { session, callerId: caller.id, timer: undefined });
        return { session, result };
      } finally {
        if (!closeUnlessAdded.isAdded) await session.close();
      }
    } finally {
      const left = (opening.get(caller.id) ?? 1) - 1;
      if (left === 0) opening.delete(caller.id);
      else opening.set(caller.id, left);
    }
  };

  const begin = async (request: Request, body: unknown, caller: Caller, mount: Mount): Promise<Response> => {
    const params = isRecord(body) ? body['params'] : undefined;
    const record: SessionRecord = {
      id: randomUUID(),
      callerId: caller.id,
      principal: caller.principal,
      server: mount.server,
      initialize: isRecord(params) ? params : {},
      subscriptions: [],
    };
    const opened = await open(
      record,
      caller,
      mount,
      (session) => session.handle(request, body, caller),
      (response) => response.status === 200,
    );
    if (opened === undefined) return full();
    if (opened.result.status === 200) {
      await store?.save(record, idleMs).catch(async (error: unknown) => {
        await end(record.id);
        throw error;
      });
    }
    return opened.result;
  };

  /** Creates a session again that another replica has begun. */
  const restore = async (id: string, caller: Caller, mount: Mount): Promise<Session | Response> => {
    const record = await store?.get(id);
    if (record === undefined || !isSessionOf(record, caller, mount)) return notFound();
    const opened = await open(
      record,
      caller,
      mount,
      (session) => session.replay(),
      () => true,
    );
    return opened?.session ?? full();
  };
  const find = async (id: string, caller: Caller, mount: Mount): Promise<Session | Response> => {
    const known = table.get(id)?.session;
    if (known !== undefined) return isSessionOf(known.record, caller, mount) ? known : notFound();
    if (store === undefined) return notFound();
    const pending = restoring.get(id);
    if (pending !== undefined) {
      await pending.catch(() => undefined);
      return find(id, caller, mount);
    }
    const restored = restore(id, caller, mount).finally(() => restoring.delete(id));
    restoring.set(id, restored);
    return restored;
  };

  /** A store that is away does not end the sessions that this replica knows. */
  const stillExists = (kept: SessionStore, id: string): Promise<boolean> =>
    kept.touch(id, idleMs).catch((error: unknown) => {
      logger?.warn('A session continues without its store.', { error: String(error) });
      return true;
    });

  const handle: Sessions['handle'] = async (request, body, caller, mount) => {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (isInitializeRequest(body)) return begin(request, body, caller, mount);
      return refuse(400, 'A request without a session must be `initialize`.');
    }
    const session = await find(id, caller, mount);
    if (session instanceof Response) return session;
    if (store !== undefined && !(await stillExists(store, id))) {
      await end(id);
      return notFound();
    }
    const entry = table.get(id);
    if (entry === undefined) return notFound();
    use(id, entry);
    const before = session.record;
    const response = await session.handle(request, body, caller);
    if (request.method === 'DELETE' && response.ok) {
      await store?.delete(id);
      await end(id);
      await peers?.tell({ sessionId: id, callerId: caller.id, messages: [], ended: true });
    } else if (store !== undefined && session.record !== before) {
      const change = (record: SessionRecord): SessionRecord => noteMessages(record, messagesIn(body));
      const kept = store.change?.(id, change, idleMs) ?? store.save(session.record, idleMs);
      await kept.catch((error: unknown) => {
        logger?.warn('A change of a session was not kept for other replicas.', { error: String(error) });
      });
    }
    return response;
  };

  peers?.receive(({ sessionId, callerId, messages, ended }) => {
    const session = table.get(sessionId)?.session;
    if (session === undefined || session.record.callerId !== callerId) return;
    const done = ended ? end(sessionId) : session.receive(messages);
    done.catch((error: unknown) => logger?.debug('A relayed message failed.', { error: String(error) }));
  });

  return {
    get size() {
      return table.size;
    },
    async handle(...request) {
      try {
        return await handle(...request);
      } catch (error) {
        if (!(error instanceof FittingsError && error.code === 'STORE_UNAVAILABLE')) throw error;
        logger?.error(error.message, { cause: String(error.cause) });
        return refuse(503, 'Sessions are not available.', { headers: { 'retry-after': RETRY_SECONDS } });
      }
    },
    async close() {
      isClosed = true;
      await Promise.all([...table.keys()].map(end));
    },
  };
}

function isSessionOf(record: SessionRecord, caller: Caller, mount: Mount): boolean {
  return (
    record.callerId === caller.id && record.principal === caller.principal && record.server === mount.server
  );
}

/** The same for a session that belongs to another caller. */
function notFound(): Response {
  return refuse(404, 'The session does not exist.', { code: REFUSAL_CODES.sessionNotFound });
}

const RETRY_SECONDS = '10';

function full(): Response {
  return refuse(503, 'The gateway has reached its maximum number of sessions.', {
    headers: { 'retry-after': RETRY_SECONDS },
  });
}

function withStoreErrors(store: SessionStore): SessionStore {
  const fail = (cause: unknown): never => {
    throw new FittingsError('STORE_UNAVAILABLE', 'The store of sessions failed.', { cause });
  };
  return {
    get: (id) => store.get(id).catch(fail),
    save: (record, ttlMs) => store.save(record, ttlMs).catch(fail),
    touch: (id, ttlMs) => store.touch(id, ttlMs).catch(fail),
    delete: (id) => store.delete(id).catch(fail),
    ...(store.change && { change: (...given) => store.change?.(...given).catch(fail) ?? fail(undefined) }),
  };
}

import type { Clock, Logger } from '@mcp-fittings/client-core';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { HTTP_REFUSALS, refusal } from './http-answers.js';
import { createHttpSession, type HttpSession } from './http-session.js';
import type { OpenUpstream } from './upstream.js';

export interface HttpSessionsOptions {
  readonly open: OpenUpstream;
  /** Sessions at a time; more are refused. */
  readonly maxSessions: number;
  /** A session in which nothing happens for so long is ended, milliseconds. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Clients of the revisions before 2026-07-28. Each has a session and, behind it, a connection of its own. */
export interface HttpSessions {
  handle(request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

interface Kept {
  readonly session: HttpSession;
  timer: Disposable;
}

export function createHttpSessions(options: HttpSessionsOptions): HttpSessions {
  const { open, maxSessions, idleMs, clock, logger } = options;
  const sessions = new Map<string, Kept>();

  const endWhenIdle = (session: HttpSession): Disposable =>
    clock.schedule(
      () => {
        const kept = [...sessions.values()].find((each) => each.session === session);
        if (kept === undefined) return;
        if (session.isIdle) void session.close();
        else kept.timer = endWhenIdle(session);
      },
      idleMs,
      { unref: true },
    );
  const touch = (kept: Kept): void => {
    kept.timer[Symbol.dispose]();
    kept.timer = endWhenIdle(kept.session);
  };

  const begin = async (request: Request, body: unknown): Promise<Response> => {
    if (sessions.size >= maxSessions) {
      return refusal(503, HTTP_REFUSALS.general, 'The bridge has reached its maximum number of sessions.');
    }
    let id: string | undefined;
    const session = createHttpSession({
      open,
      logger,
      onInitialized(given) {
        id = given;
        sessions.set(given, { session, timer: endWhenIdle(session) });
      },
      onEnd() {
        const kept = id === undefined ? undefined : sessions.get(id);
        kept?.timer[Symbol.dispose]();
        if (id !== undefined) sessions.delete(id);
      },
    });
    const response = await session.handle(request, body);
    // Refused before there was a session, for its headers for example.
    if (id === undefined) await session.close();
    return response;
  };

  return {
    async handle(request, body) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        if (isInitializeRequest(body)) return begin(request, body);
        return refusal(400, HTTP_REFUSALS.general, 'A request without a session must be `initialize`.');
      }
      const kept = sessions.get(id);
      if (kept === undefined)
        return refusal(404, HTTP_REFUSALS.sessionNotFound, 'The session does not exist.');
      touch(kept);
      return kept.session.handle(request, body);
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ session }) => session.close()));
    },
  };
}

import { randomUUID } from 'node:crypto';
import type { Clock, Logger } from '@mcp-fittings/client-core';
import {
  type JSONRPCMessage,
  type RequestId,
  isRequest,
  isResponse,
} from '@mcp-fittings/client-core/transport';
import { WebStandardStreamableHTTPServerTransport, isInitializeRequest } from '@modelcontextprotocol/server';
import { createDedicatedConnection } from './dedicated-connection.js';
import { HTTP_REFUSALS, refusal } from './error-responses.js';
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

interface TrackedSession {
  readonly session: HttpSession;
  timer: Disposable;
}

export function createHttpSessions(options: HttpSessionsOptions): HttpSessions {
  const { open, maxSessions, idleMs, clock, logger } = options;
  const sessions = new Map<string, TrackedSession>();

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
  const touch = (kept: TrackedSession): void => {
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

export interface HttpSessionOptions {
  readonly open: OpenUpstream;
  readonly logger?: Logger | undefined;
  readonly onInitialized: (id: string) => void;
  /** The session is over, whoever ended it. */
  readonly onEnd: () => void;
}

/** One client of a revision with sessions, and its own connection to the server. */
export interface HttpSession {
  handle(request: Request, body: unknown): Promise<Response>;
  /** Nobody waits for anything: no request is in flight, no event stream open. */
  readonly isIdle: boolean;
  close(): Promise<void>;
}

export function createHttpSession(options: HttpSessionOptions): HttpSession {
  const { open, logger } = options;
  /** The client's requests that are not answered, the latest last. */
  const unanswered = new Set<RequestId>();
  let streams = 0;
  let ending: Promise<void> | undefined;

  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: options.onInitialized,
  });
  const close = (): Promise<void> => {
    ending ??= end();
    return ending;
  };
  const end = async (): Promise<void> => {
    options.onEnd();
    await transport.close();
    await joined.leave();
  };

  /**
   * What a server sends goes on the stream of the request that it belongs to. Other wires do not say which that is; then
   * it is the event stream of the session, else the latest request.
   */
  const send = async (message: JSONRPCMessage, relatedTo?: RequestId): Promise<void> => {
    if (isResponse(message) && message.id !== undefined) unanswered.delete(message.id);
    const related = relatedTo ?? (streams > 0 ? undefined : [...unanswered].at(-1));
    if (related === undefined && streams === 0 && isRequest(message)) {
      throw new Error('The client has no open stream to receive the request on.');
    }
    await transport.send(message, related === undefined ? {} : { relatedRequestId: related });
  };
  const joined = createDedicatedConnection({ open, logger, client: { send } });
  transport.onmessage = (message) => {
    if (isRequest(message)) unanswered.add(message.id);
    joined.receive(message);
  };
  transport.onclose = () => void close();
  transport.onerror = (error) => logger?.debug(error.message);

  return {
    async handle(request, body) {
      if (request.method === 'GET') {
        streams += 1;
        request.signal.addEventListener('abort', () => void (streams -= 1), { once: true });
      }
      const response = await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
      if (request.method === 'GET' && response.status !== 200) streams -= 1;
      return response;
    },
    get isIdle() {
      return unanswered.size === 0 && streams === 0;
    },
    close,
  };
}

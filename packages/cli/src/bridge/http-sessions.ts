import { randomUUID } from 'node:crypto';
import type { Clock, JSONRPCMessage, Logger, RequestId } from '@mcp-fittings/client-core';
import { isRequest, isResponse } from '@mcp-fittings/toolbox/messages';
import { WebStandardStreamableHTTPServerTransport, isInitializeRequest } from '@modelcontextprotocol/server';
import { createDedicatedConnection } from './dedicated-connection.js';
import { HTTP_REFUSALS, refusal } from './error-responses.js';
import type { OpenUpstream } from './upstream.js';

export interface HttpSessionsOptions {
  readonly open: OpenUpstream;
  /** Most sessions at a time. More are refused with status 503. */
  readonly maxSessions: number;
  /** Time without traffic after which a session is closed, in milliseconds. */
  readonly idleMs: number;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** Serves clients of the revisions before 2026-07-28. Each has a session and its own connection to the server. */
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
    // The request was refused before a session began, for example because of its headers.
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

interface HttpSessionOptions {
  readonly open: OpenUpstream;
  readonly logger?: Logger | undefined;
  readonly onInitialized: (id: string) => void;
  /** Called when the session has ended for any reason. */
  readonly onEnd: () => void;
}

/** The session of one client, with its own connection to the server. */
interface HttpSession {
  handle(request: Request, body: unknown): Promise<Response>;
  /** Returns whether no request is in flight and no event stream is open. */
  readonly isIdle: boolean;
  close(): Promise<void>;
}

function createHttpSession(options: HttpSessionOptions): HttpSession {
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
    await connection.close();
  };

  /**
   * Sends a message on the stream of the request that it belongs to. Other transports do not say which request that is;
   * then it goes to the event stream of the session, or else to the latest request.
   */
  const send = async (message: JSONRPCMessage, relatedTo?: RequestId): Promise<void> => {
    if (isResponse(message) && message.id !== undefined) unanswered.delete(message.id);
    const related = relatedTo ?? (streams > 0 ? undefined : [...unanswered].at(-1));
    if (related === undefined && streams === 0 && isRequest(message)) {
      throw new Error('The client has no open stream to receive the request on.');
    }
    await transport.send(message, related === undefined ? {} : { relatedRequestId: related });
  };
  const connection = createDedicatedConnection({ open, logger, client: { send } });
  transport.onmessage = (message) => {
    if (isRequest(message)) unanswered.add(message.id);
    connection.receive(message);
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

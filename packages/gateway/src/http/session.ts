import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from '@mcp-fittings/client-core';
import {
  type JSONRPCMessage,
  type RequestId,
  isRequest,
  isRequestId,
} from '@mcp-fittings/client-core/transport';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../contracts/caller.js';
import type { SessionRecord } from '../contracts/session-store.js';
import type { Surface } from '../contracts/surface.js';
import { REFUSAL_CODES, refuse } from './refusals.js';
import { messagesIn, noteMessages } from './session-notes.js';

/** Options of {@link openSession}. */
export interface OpenSessionOptions {
  readonly surface: Surface;
  readonly caller: Caller;
  readonly mount: Mount;
  /** What is known of the session: from the client's `initialize`, or from a store. */
  readonly record: SessionRecord;
  readonly keepAliveMs: number;
  readonly logger: Logger | undefined;
}

/** The session of one client before revision 2026-07-28. */
export interface Session {
  /** What another replica needs to continue the session. A new object after each change. */
  readonly record: SessionRecord;
  /** Whether no request is in flight and no event stream is open. */
  readonly isIdle: boolean;
  /** Answers a request of the caller. Its signal must be aborted as soon as the response has ended, for any reason. */
  handle(request: Request, body: unknown, caller: Caller): Promise<Response>;
  /** Tells the server what the record says, as the client has done at another replica. Rejects if the server refuses. */
  replay(): Promise<void>;
  /** Withdraws the calls, and ends the event streams. */
  close(): Promise<void>;
}

/** Opens a session: the SDK's server of the surface on a Streamable HTTP transport. */
export async function openSession(options: OpenSessionOptions): Promise<Session> {
  const { surface, mount, keepAliveMs, logger } = options;
  let { record, caller: latest } = options;
  /** Whose request is handled. Tokens of one caller may allow different things. */
  const current = new AsyncLocalStorage<Caller>();
  /** The client's requests that have no response, and whether each was alone in its body. */
  const unanswered = new Map<RequestId, { readonly alone: boolean }>();
  let streams = 0;

  const transport = new SessionTransport((id) => unanswered.delete(id), {
    sessionIdGenerator: () => record.id,
    keepAliveMs,
  });
  const server = surface.createServer({
    caller: {
      id: latest.id,
      principal: latest.principal,
      allows: (name, tool) => (current.getStore() ?? latest).allows?.(name, tool) ?? true,
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

  const handle: Session['handle'] = async (request, body, caller) => {
    latest = caller;
    const messages = messagesIn(body);
    const ids = messages.filter(isRequest).map(({ id }) => id);
    if (ids.some((id) => unanswered.has(id)) || new Set(ids).size < ids.length) {
      return refuse(400, 'A request with this id is in flight.', { code: REFUSAL_CODES.invalidRequest });
    }
    for (const id of ids) unanswered.set(id, { alone: ids.length === 1 });
    const isStream = request.method === 'GET';
    if (isStream) streams += 1;
    const response = await current.run(caller, () =>
      transport.handleRequest(request, body === undefined ? {} : { parsedBody: body }),
    );
    if (response.status < 300) record = noteMessages(record, messages);
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

  const replay = async (): Promise<void> => {
    const { initialize, logLevel, subscriptions } = record;
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
      const response = await current.run(latest, () => transport.handleRequest(request, { parsedBody }));
      await response.text();
      if (!response.ok) throw new Error(`The replay of ${String(message['method'])} was refused.`);
    };
    const id = `replay-${record.id}`;
    await post({ id, method: 'initialize', params: initialize });
    await post({ method: 'notifications/initialized' });
    if (logLevel !== undefined) await post({ id, method: 'logging/setLevel', params: { level: logLevel } });
    for (const uri of subscriptions) {
      // oxlint-disable-next-line no-await-in-loop -- they have one id
      await post({ id, method: 'resources/subscribe', params: { uri } });
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
    replay,
    close: () => server.close(),
  };
}

/** Returns the request that a message of the client cancels. */
function canceledBy(message: JSONRPCMessage): readonly RequestId[] {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return [];
  const id = message.params?.['requestId'];
  return isRequestId(id) ? [id] : [];
}

/** Reports which requests have got their response. */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #onAnswer: (id: RequestId) => void;

  constructor(
    onAnswer: (id: RequestId) => void,
    options: ConstructorParameters<typeof WebStandardStreamableHTTPServerTransport>[0],
  ) {
    super(options);
    this.#onAnswer = onAnswer;
  }

  override async send(...[message, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>) {
    if (!('method' in message) && message.id !== undefined) this.#onAnswer(message.id);
    return super.send(message, options);
  }
}

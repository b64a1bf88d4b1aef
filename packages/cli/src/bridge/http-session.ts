import { randomUUID } from 'node:crypto';
import type { Logger } from '@mcp-fittings/client-core';
import {
  isRequest,
  isResponse,
  type JSONRPCMessage,
  type RequestId,
} from '@mcp-fittings/client-core/transport';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { joinUpstream } from './join-upstream.js';
import type { OpenUpstream } from './upstream.js';

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
  const joined = joinUpstream({ open, logger, client: { send } });
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

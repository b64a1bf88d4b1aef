import type { Logger, RequestId } from '@mcp-fittings/client-core';
import { isRecord, isRequestId } from '@mcp-fittings/toolbox/messages';
import { type McpHttpHandler, createMcpHandler } from '@modelcontextprotocol/server';
import type { Caller, Mount } from '../contracts/caller.js';
import type { Surface } from '../contracts/surface.js';
import { checkParameterHeaders } from './check-parameter-headers.js';
import { CLOSED, REFUSAL_CODES, refuse } from './refusals.js';

/** Options of {@link createExchanges}. */
export interface ExchangesOptions {
  readonly surface: Surface;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly logger: Logger | undefined;
}

/** Answers requests of revision 2026-07-28, which has no sessions. */
export interface Exchanges {
  /** Answers one request of the caller at a mount. Its signal must be aborted as soon as the response has ended. */
  handle(request: Request, body: unknown, caller: Caller, mount: Mount): Promise<Response>;
  /** Withdraws the calls, and ends the event streams. */
  close(): Promise<void>;
}

/** Creates a handler of the SDK for all requests, and one for each event stream: its events are those of one caller. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  const { surface, maxSubscriptions, keepAliveMs, logger } = options;
  const scopes = new WeakMap<Request, { readonly caller: Caller; readonly mount: Mount }>();
  /** Handlers of open event streams, by caller and mount. */
  const streams = new Map<string, Set<McpHttpHandler>>();
  const onerror = (error: Error): void => logger?.debug(error.message);
  const calls = createMcpHandler(
    ({ requestInfo }) => {
      const scope = requestInfo && scopes.get(requestInfo);
      if (scope === undefined) throw new Error('The request is not known.');
      return surface.createServer({ ...scope, era: 'modern' });
    },
    { legacy: 'reject', keepAliveMs, onerror },
  );
  let isClosed = false;

  const listen: Exchanges['handle'] = async (request, body, caller, mount) => {
    const key = JSON.stringify([caller.id, caller.principal, mount.server]);
    const open = streams.get(key) ?? new Set();
    if (open.size >= maxSubscriptions) {
      const message = `A caller can have ${maxSubscriptions} event streams at a time.`;
      return refuse(200, message, { code: REFUSAL_CODES.internalError, id: idOf(body) });
    }
    const handler = createMcpHandler(() => surface.createServer({ caller, mount, era: 'modern' }), {
      legacy: 'reject',
      bus: surface.events(caller, mount, subscribedUris(body)),
      keepAliveMs,
      onerror,
    });
    streams.set(key, open.add(handler));
    const end = (): void => {
      open.delete(handler);
      if (open.size === 0) streams.delete(key);
      void handler.close();
    };
    if (request.signal.aborted) end();
    else request.signal.addEventListener('abort', end, { once: true });
    return handler.fetch(request, { parsedBody: body });
  };

  return {
    async handle(request, body, caller, mount) {
      const mismatch = checkParameterHeaders(request.headers, body, (tool) =>
        surface.inputSchema(caller, mount, tool),
      );
      if (mismatch !== undefined) return mismatch;
      const malformed = checkInputResponses(body);
      if (malformed !== undefined) return malformed;
      if (isRecord(body) && body['method'] === 'subscriptions/listen')
        return listen(request, body, caller, mount);
      scopes.set(request, { caller, mount });
      const response = await calls.fetch(request, { parsedBody: body });
      // A status of failure would say that the call was not carried out.
      return isClosed && !response.ok ? refuse(200, CLOSED.message, { ...CLOSED, id: idOf(body) }) : response;
    },
    async close() {
      isClosed = true;
      const handlers = [calls, ...[...streams.values()].flatMap((each) => [...each])];
      await Promise.all(handlers.map((handler) => handler.close()));
    },
  };
}

/** Returns the id of a request, or null. */
export function idOf(body: unknown): RequestId | null {
  const id = isRecord(body) ? body['id'] : undefined;
  return isRequestId(id) ? id : null;
}

/** Returns the resources that a `subscriptions/listen` asks for. The SDK checks the request. */
export function subscribedUris(message: unknown): readonly string[] {
  const params = isRecord(message) ? message['params'] : undefined;
  const filter = isRecord(params) ? params['notifications'] : undefined;
  const uris = isRecord(filter) ? filter['resourceSubscriptions'] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [];
}

/** Refuses answers that are not an object for each question: the SDK passes such a request on as one without these answers. */
function checkInputResponses(body: unknown): Response | undefined {
  const params = isRecord(body) ? body['params'] : undefined;
  if (!isRecord(body) || !isRecord(params) || !('inputResponses' in params)) return undefined;
  const { inputResponses } = params;
  if (isRecord(inputResponses) && Object.values(inputResponses).every(isRecord)) return undefined;
  const id = isRequestId(body['id']) ? body['id'] : null;
  return refuse(400, '"inputResponses" has an answer that is not an object.', {
    code: REFUSAL_CODES.invalidParams,
    id,
  });
}

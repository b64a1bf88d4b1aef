import type { Clock, Logger } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { Access, AccessDecision } from '../contracts/access.js';
import { principalKey, type Caller, type Mount } from '../contracts/caller.js';
import type { GatewayLoad, Pages } from '../contracts/gateway.js';
import type { SessionStore } from '../contracts/session-store.js';
import type { Surface } from '../contracts/surface.js';
import { boundBody } from './bounded-body.js';
import { createExchanges, idOf } from './exchanges.js';
import { readMessage } from './read-message.js';
import { REFUSAL_CODES, refuse } from './refusals.js';
import { type RequestGateOptions, createRequestGate } from './request-gate.js';
import { createSessions } from './sessions.js';
import { Turns } from './turns.js';
import { type Admitted, watchAccess } from './watch-access.js';

/** Options of {@link createHttpHandler}. */
export interface HttpHandlerOptions extends RequestGateOptions {
  readonly surface: Surface;
  /** Whether the caller can reach anything at the mount. */
  readonly serves: (caller: Caller, mount: Mount) => boolean;
  readonly pages: readonly Pages[];
  readonly basePath: string;
  readonly sessions: {
    readonly max: number;
    readonly maxPerCaller: number;
    readonly idleMs: number;
    readonly store: SessionStore | undefined;
  };
  readonly maxBodyBytes: number;
  readonly maxUnreadBytes: number;
  readonly maxSubscriptions: number;
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Decides who a request comes from, see {@link Access.authenticate}. */
export type Authenticate = Access['authenticate'];

/** Streamable HTTP of both protocol eras. */
export interface HttpHandler {
  /** Answers a request. Who may use the gateway depends on where the request came in. */
  fetch(request: Request, authenticate: Authenticate): Promise<Response>;
  load(): GatewayLoad;
  /** Ends all sessions and streams, and refuses all further requests. */
  close(): Promise<void>;
}

const METHODS = ['GET', 'POST', 'DELETE'];

/** Creates the handler. A request passes the checks in a fixed order; its body is read last. */
export function createHttpHandler(options: HttpHandlerOptions): HttpHandler {
  const { surface, serves, pages, basePath, maxBodyBytes, maxUnreadBytes, logger } = options;
  const { maxSubscriptions, keepAliveMs, clock } = options;
  const gate = createRequestGate(options);
  const turns = new Turns();
  const sessions = createSessions({ ...options.sessions, surface, keepAliveMs, clock, logger });
  const exchanges = createExchanges({ surface, maxSubscriptions, keepAliveMs, logger });
  /** Requests that are not over. Held here because Node.js forgets the signal of a request that nothing refers to. */
  const open = new Set<Request>();
  /** One for all requests: each would have a stack of its own. */
  const responseEnded = new Error('The response has ended.');
  let requestsInFlight = 0;
  let isClosed = false;

  /** Passes a request on. The response reports its end, for whatever reason, by the signal of the request that the era gets. */
  const serve = async (
    request: Request,
    body: unknown,
    admitted: Admitted,
    mount: Mount,
    authenticate: Authenticate,
  ): Promise<Response> => {
    const { url, method, headers } = request;
    const { caller } = admitted;
    const over = new AbortController();
    const passed = new Request(url, { method, headers, signal: over.signal });
    const isStream = method === 'GET' || (isRecord(body) && body['method'] === 'subscriptions/listen');
    const counts = method === 'POST' && !isStream;
    if (counts) requestsInFlight += 1;
    let watch: Disposable | undefined;
    const end = (): void => {
      if (over.signal.aborted) return;
      if (counts) requestsInFlight -= 1;
      watch?.[Symbol.dispose]();
      request.signal.removeEventListener('abort', end);
      over.abort(responseEnded);
      open.delete(request);
      open.delete(passed);
    };
    open.add(request).add(passed);
    if (request.signal.aborted) end();
    else request.signal.addEventListener('abort', end, { once: true });
    try {
      const era = method === 'POST' && !(await isLegacyRequest(passed, body)) ? exchanges : sessions;
      const response = await era.handle(passed, body, caller, mount);
      const { signal } = over;
      if (isStream && !signal.aborted)
        watch = watchAccess(admitted, () => authenticate(request), { clock, onEnd: end });
      return boundBody(response, new Headers(response.headers), { maxUnreadBytes, signal, onEnd: end });
    } catch (error) {
      end();
      throw error;
    }
  };

  const answer = async (request: Request, authenticate: Authenticate): Promise<Response> => {
    for (const page of pages) {
      // oxlint-disable-next-line no-await-in-loop -- the first page that knows the path answers
      const response = await page.respond(request, authenticate);
      if (response !== undefined) return response;
    }
    const mount = mountOf(new URL(request.url).pathname, basePath);
    if (mount === undefined) return refuse(404, 'Nothing is served at this path.');
    const { method } = request;
    if (!METHODS.includes(method)) {
      return refuse(405, 'The method is not allowed.', { headers: { allow: METHODS.join(', ') } });
    }
    const decision = await authenticate(request);
    if ('refusal' in decision) return decision.refusal;
    const { caller } = decision;
    await turns.take(principalKey(caller));
    if (!serves(caller, mount)) return refuse(404, 'Nothing is served at this path.');
    if (method !== 'POST') return serve(request, undefined, decision, mount, authenticate);
    const message = await readMessage(request, maxBodyBytes);
    if ('refusal' in message) return message.refusal;
    const { body } = message;
    const refused = surface.refusal(caller, mount, body);
    if (refused !== undefined) return refuse(200, refused.message, { ...refused, id: idOf(body) });
    return serve(request, body, decision, mount, authenticate);
  };

  return {
    async fetch(request, authenticate) {
      const gated = gate(request);
      if ('response' in gated) return gated.response;
      const response = isClosed
        ? refuse(503, 'The gateway is shutting down.', { headers: { 'retry-after': '10' } })
        : await answer(request, authenticate).catch((error: unknown) => {
            logger?.error('A request could not be answered.', { error: String(error) });
            return refuse(500, 'Internal error.', { code: REFUSAL_CODES.internalError });
          });
      return withHeaders(response, gated.headers);
    },
    load: () => ({ sessions: sessions.size, requestsInFlight }),
    async close() {
      isClosed = true;
      await Promise.all([sessions.close(), exchanges.close()]);
    },
  };
}

/** Returns `undefined` for a path that is not of the endpoint. */
function mountOf(path: string, basePath: string): Mount | undefined {
  if (path === basePath) return {};
  if (!path.startsWith(`${basePath}/`)) return undefined;
  const name = path.slice(basePath.length + 1);
  if (name === '' || name.includes('/')) return undefined;
  try {
    return { server: decodeURIComponent(name) };
  } catch {
    return undefined;
  }
}

/** Pages may be cached if they say so; answers for a caller may not. */
function withHeaders(response: Response, added: Readonly<Record<string, string>>): Response {
  const { headers } = response;
  try {
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) headers.set('cache-control', 'no-store, no-transform');
    else if (!headers.has('cache-control')) headers.set('cache-control', 'no-store');
  } catch {
    // The headers of a redirect, or of a response that a program has fetched, cannot be changed.
    const { body, status, statusText } = response;
    return withHeaders(new Response(body, { status, statusText, headers: new Headers(headers) }), added);
  }
  for (const [name, value] of Object.entries(added)) {
    if (name === 'vary') headers.append(name, value);
    else headers.set(name, value);
  }
  return response;
}

/** Refuses every request: a gateway without `access` must not be open by mistake. */
export async function refuseEveryone(): Promise<AccessDecision> {
  const message = 'This gateway has no `access`, so it refuses all requests over HTTP.';
  return { refusal: refuse(500, message, { code: REFUSAL_CODES.internalError }) };
}

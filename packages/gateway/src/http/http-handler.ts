import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, JSONRPCMessage, Logger } from '@mcp-fittings/client-core';
import { isRequestId, isRecord } from '@mcp-fittings/toolbox/messages';
import type { Scope } from '../catalog/exposure.js';
import type { Access, AccessDecision } from '../contracts/access.js';
import { principalKey, type Caller, type Mount } from '../contracts/caller.js';
import type { GatewayLoad, Pages } from '../contracts/gateway.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { Surface } from '../contracts/surface.js';
import { checkSessionRevision, classify, type Classified } from './classify.js';
import { type Exchange, nodeExchange } from './exchange.js';
import { answerFetch } from './fetch-door.js';
import { readMessage } from './read-message.js';
import { REFUSAL_CODES, refuse } from './refusals.js';
import { type RequestGateOptions, createRequestGate } from './request-gate.js';
import { Sessions, type SessionsOptions } from './sessions.js';
import { StatelessRequests } from './stateless-requests.js';
import { Turns } from './turns.js';
import { type Admitted, watchAccess } from './watch-access.js';

/** Options of {@link HttpHandler}. */
export interface HttpHandlerOptions extends RequestGateOptions {
  readonly surface: Surface;
  /** Returns true if the caller can reach anything at the mount. */
  readonly serves: (caller: Caller, mount: Mount) => boolean;
  readonly pages: readonly Pages[];
  readonly basePath: string;
  readonly sessions: Pick<
    SessionsOptions,
    'max' | 'maxPerCaller' | 'idleMs' | 'resumeMs' | 'resumeLength' | 'shared'
  >;
  readonly maxBodyBytes: number;
  readonly maxUnreadBytes: number;
  readonly keepAliveMs: number;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Decides who a request comes from, see {@link Access.authenticate}. */
export type Authenticate = Access['authenticate'];

/** A request of someone who may use an address of the endpoint. */
interface Admission {
  readonly decision: Admitted;
  readonly mount: Mount;
  /** Asks again who the request comes from. */
  readonly authenticate: Authenticate;
}

const METHODS = ['GET', 'POST', 'DELETE'];
/** Its event stream, which has no end, is not waited for. The header `Mcp-Method` names it, too. */
const LISTEN = 'subscriptions/listen';

/** Streamable HTTP of both protocol eras. A request passes the checks in a fixed order; its body is read last. */
export class HttpHandler {
  readonly #options: HttpHandlerOptions;
  readonly #gate: ReturnType<typeof createRequestGate>;
  readonly #turns: Turns;
  readonly #sessions: Sessions;
  readonly #stateless: StatelessRequests;
  #isClosed = false;

  constructor(options: HttpHandlerOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
    this.#gate = createRequestGate(options);
    this.#sessions = new Sessions({ ...options, ...options.sessions });
    this.#stateless = new StatelessRequests(options);
  }

  /** Returns a listener of `node:http`. Who may use the gateway depends on where a request came in. */
  listener(authenticate: Authenticate): (request: IncomingMessage, response: ServerResponse) => void {
    return (incoming, outgoing) => {
      const exchange = nodeExchange(incoming, outgoing, this.#options.maxUnreadBytes);
      if (exchange !== undefined) {
        void this.#handle(exchange, authenticate);
        return;
      }
      const type = { 'content-type': 'application/json' };
      const error = { code: REFUSAL_CODES.general, message: 'The request target is not valid.' };
      outgoing.writeHead(400, type).end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    };
  }

  /** Answers a request of the Fetch API. */
  fetch(request: Request, authenticate: Authenticate): Promise<Response> {
    const { maxUnreadBytes } = this.#options;
    return answerFetch(request, maxUnreadBytes, (exchange) => this.#handle(exchange, authenticate));
  }

  load(): GatewayLoad {
    const { size: sessions, movedRequests } = this.#sessions;
    return { sessions, requestsInFlight: this.#turns.size + movedRequests };
  }

  /** Ends all sessions and streams, and refuses all further requests. */
  close(): void {
    this.#isClosed = true;
    this.#sessions.close();
    this.#stateless.close();
  }

  /** Answers a request. Never rejects. */
  async #handle(exchange: Exchange, authenticate: Authenticate): Promise<void> {
    const { logger } = this.#options;
    try {
      const refusal = this.#gate(exchange) ?? (await this.#answer(exchange, authenticate));
      if (refusal !== undefined) await exchange.send(refusal);
    } catch (error) {
      logger?.error('A request could not be answered.', { error: String(error) });
      const internal = refuse(500, 'Internal error.', { code: REFUSAL_CODES.internalError });
      await exchange.send(internal).catch(() => exchange.destroy());
    }
  }

  /** Returns the response of a page or a refusal, or answers. */
  async #answer(exchange: Exchange, authenticate: Authenticate): Promise<Response | undefined> {
    if (this.#isClosed) return refuseClosing();
    const { serves, basePath, maxBodyBytes } = this.#options;
    const { method, path } = exchange;
    const mount = mountOf(path, basePath);
    if (mount === undefined) return this.#page(exchange, authenticate);
    if (!METHODS.includes(method)) {
      return refuse(405, 'The method is not allowed.', { headers: { allow: METHODS.join(', ') } });
    }
    const decision = await authenticate(exchange.request);
    if ('refusal' in decision) return decision.refusal;
    const { caller } = decision;
    const admission = { decision, mount, authenticate };
    await this.#turns.take(principalKey(caller));
    if (this.#isClosed) return refuseClosing();
    if (!serves(caller, mount)) return refuse(404, 'Nothing is served at this path.');
    let body: unknown;
    try {
      if (method !== 'POST') return await this.#serve(exchange, undefined, admission);
      if (exchange.header('mcp-method') !== LISTEN) this.#turns.watch(exchange);
      const message = await readMessage(exchange, maxBodyBytes);
      if ('refusal' in message) return message.refusal;
      body = message.body;
      const classified = classify(body, exchange.header);
      if (classified.era === 'modern')
        await this.#stateless.check(exchange.header, classified.message, { caller, mount });
      if (this.#isClosed) return refuseClosing();
      return await this.#serve(exchange, classified, admission);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const { code, message: text, data, status } = error;
      const id = isRecord(body) && isRequestId(body['id']) ? body['id'] : null;
      return refuse(status, text, { code, data, id });
    }
  }

  async #page(exchange: Exchange, authenticate: Authenticate): Promise<Response> {
    const { pages } = this.#options;
    const request = pages.length === 0 ? undefined : exchange.toFetch();
    for (const page of pages) {
      // oxlint-disable-next-line no-await-in-loop -- the first page that knows the path answers
      const response = request && (await page.respond(request, authenticate));
      if (response !== undefined) return response;
    }
    return refuse(404, 'Nothing is served at this path.');
  }

  /** Passes a request on to its era. */
  async #serve(
    exchange: Exchange,
    body: Classified | undefined,
    { decision, mount, authenticate }: Admission,
  ): Promise<Response | undefined> {
    const { caller } = decision;
    const isModern = body?.era === 'modern';
    const isStream = exchange.method === 'GET' || (isModern && body.message.method === LISTEN);
    if (isModern) this.#stateless.handle(exchange, body.message, { caller, mount });
    else {
      const refusal = await this.#ofSession(exchange, body?.messages ?? [], { caller, mount });
      if (refusal !== undefined) return refusal;
    }
    if (isStream && !exchange.isOver) {
      const { clock } = this.#options;
      const onEnd = (): void => exchange.end();
      const watch = watchAccess(decision, () => authenticate(exchange.request), { clock, onEnd });
      exchange.onOver(() => watch[Symbol.dispose]());
    }
    return undefined;
  }

  #ofSession(
    exchange: Exchange,
    messages: readonly JSONRPCMessage[],
    sender: Scope,
  ): Response | Promise<Response | undefined> {
    const { method, header } = exchange;
    const accept = header('accept') ?? '';
    const begins = header('mcp-session-id') === undefined;
    const wanted = method === 'POST' ? ['application/json', 'text/event-stream'] : ['text/event-stream'];
    const isAsked = method === 'POST' || (method === 'GET' && !begins);
    if (isAsked && !wanted.every((type) => accept.includes(type)))
      return refuse(406, `The client must accept ${wanted.join(' and ')}.`);
    if (!begins) checkSessionRevision(header);
    return this.#sessions.handle(exchange, messages, sender);
  }
}

function refuseClosing(): Response {
  return refuse(503, 'The gateway is shutting down.', { headers: { 'retry-after': '10' } });
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

/** Refuses every request: a gateway without `access` must not be open by mistake. */
export async function refuseEveryone(): Promise<AccessDecision> {
  const message = 'This gateway has no `access`, so it refuses all requests over HTTP.';
  return { refusal: refuse(500, message, { code: REFUSAL_CODES.internalError }) };
}

import { createHash, randomUUID } from 'node:crypto';
import { type Clock, FittingsError, type StandardSchemaV1 } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { canonicalJson } from '@mcp-fittings/toolbox/text';
import type { CallOptions, Host } from '@mcp-fittings/host';
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  inputRequired,
  type ClientCapabilities,
  type InputRequest,
  type Notification,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { OpenCallRouter } from '../callbacks/callback-router.js';
import type { HeldCalls } from '../callbacks/held-calls.js';
import { OpenCall, type ClientExchange } from '../callbacks/open-call.js';
import type { ClientConnection } from '../contracts/surface.js';
import { metaForServer } from './client-meta.js';
import type { Door } from './door.js';
import type { HeldCallRelay } from './held-call-relay.js';
import { toProtocolError } from './protocol-errors.js';

/** A request of a client that is passed on to a server. */
export interface PassedRequest {
  readonly server: string;
  readonly method: string;
  /** Original name of the tool or prompt, or URI of the resource. */
  readonly target: string | undefined;
  /** Parameters of the client, which a request that continues this one must have too. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Calls the host. It may ask the client through `call` before. */
  readonly work: (
    options: CallOptions & { readonly principal: string | undefined },
    call: OpenCall,
  ) => Promise<object>;
}

/** Options of {@link CallRunner}. */
export interface CallRunnerOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly held: HeldCalls;
  /** Longest time that a client may take for an answer, in milliseconds. */
  readonly answerMs: number;
  /** Continues calls that other replicas hold. */
  readonly relay: HeldCallRelay | undefined;
  readonly callbacks: OpenCallRouter | undefined;
  readonly door: Door;
}

/** Runs requests of one client. */
export class CallRunner {
  readonly #options: CallRunnerOptions;
  readonly #connection: ClientConnection;
  readonly #server: () => Server;

  constructor(options: CallRunnerOptions, connection: ClientConnection, server: () => Server) {
    this.#options = options;
    this.#connection = connection;
    this.#server = server;
  }

  /**
   * Passes a request on. A client of a session is asked while its request is open. One of revision 2026-07-28 gets an `input_required`
   * result, and the call is held until its next request brings the answers.
   */
  async run(request: PassedRequest, context: ServerContext): Promise<Result> {
    const { held, relay } = this.#options;
    const state = context.mcpReq.requestState();
    const binding = this.#bindingOf(request);
    if (state === undefined) return this.#finish(this.#begin(request, context), request, binding, context);
    const call = typeof state === 'string' ? held.take(state, binding) : undefined;
    const responses = context.mcpReq.inputResponses ?? {};
    const exchange = this.#exchangeOf(context);
    if (call === undefined) {
      const { signal } = context.mcpReq;
      const continued =
        typeof state === 'string'
          ? await relay?.resume({ id: state, binding, responses, exchange, signal })
          : undefined;
      return continued ?? notHeld();
    }
    call.exchange = exchange;
    call.answer(responses);
    return this.#finish(call, request, binding, context);
  }

  /** Passes on a request that never asks. */
  async once(request: PassedRequest, context: ServerContext): Promise<Result> {
    const { era } = this.#connection;
    const call = this.#begin(request, context);
    using _followed = follow(call, context);
    try {
      const step = await call.step();
      if ('result' in step) return { ...asObject(step.result) };
    } catch (error) {
      throw toProtocolError(error, era);
    }
    const error = new FittingsError('CAPABILITY_MISSING', `${request.method} cannot ask the client.`, {
      server: request.server,
      delivery: 'unknown',
    });
    call.abandon(error);
    throw toProtocolError(error, era);
  }

  async #finish(
    call: OpenCall,
    request: PassedRequest,
    binding: string,
    context: ServerContext,
  ): Promise<Result> {
    using _logging = this.#logging(context, request.server);
    using _followed = follow(call, context);
    try {
      const step = await call.step();
      if (!('questions' in step)) return { ...asObject(step.result) };
      return inputRequired({
        inputRequests: step.questions,
        requestState: this.#options.held.hold(call, binding),
      });
    } catch (error) {
      throw toProtocolError(error, this.#connection.era);
    }
  }

  #begin(request: PassedRequest, context: ServerContext): OpenCall<object> {
    const { caller } = this.#connection;
    const { door, callbacks } = this.#options;
    const { _meta: meta } = context.mcpReq;
    const own = metaForServer(meta);
    const { server } = request;
    const call = new OpenCall<object>({
      callerId: caller.id,
      principal: caller.principal,
      server,
      exchange: this.#exchangeOf(context),
      work: (open) => {
        const onProgress: CallOptions['onProgress'] = (progress) => {
          const params = { ...progress };
          open.exchange.notify({ method: 'notifications/progress', params }).catch(() => undefined);
        };
        const options = {
          signal: open.signal,
          origin: open.origin,
          principal: caller.principal,
          ...(own !== undefined && { meta: own }),
          ...(meta?.progressToken !== undefined && { onProgress }),
        };
        const { method, target } = request;
        return door(caller, { server, method, target }, () => request.work(options, open));
      },
    });
    callbacks?.add(call);
    return call;
  }

  #exchangeOf({ mcpReq }: ServerContext): ClientExchange {
    const { caller, era } = this.#connection;
    return {
      // A person who calls without a session is one client; a connection that people share has several.
      client: era === 'modern' && caller.principal !== undefined ? caller.id : this.#server(),
      capabilities: declaredIn(mcpReq.envelope) ?? this.#server().getClientCapabilities(),
      async notify(notification: Notification) {
        const { progressToken } = mcpReq._meta ?? {};
        if (notification.method !== 'notifications/progress') return mcpReq.notify(notification);
        if (progressToken === undefined) return;
        await mcpReq.notify({ ...notification, params: { ...notification.params, progressToken } });
      },
      ...(era === 'legacy' && { ask: (...question) => this.#ask(mcpReq, ...question) }),
    };
  }

  /** Asks a client of a session. What waits counts among the held calls. */
  async #ask(mcpReq: ServerContext['mcpReq'], request: InputRequest, signal: AbortSignal): Promise<unknown> {
    const { answerMs, held } = this.#options;
    using _waiting = held.count(this.#connection.caller.id);
    return mcpReq.send({ method: request.method, params: legacyParams(request) }, anything, {
      signal,
      timeout: answerMs,
      resetTimeoutOnProgress: true,
      // Without it, the SDK does not ask for progress.
      onprogress: () => undefined,
    });
  }

  #bindingOf({ server: name, method, params }: PassedRequest): string {
    const { caller, mount } = this.#connection;
    return createHash('sha256')
      .update(
        canonicalJson([caller.id, caller.principal ?? null, mount.server ?? null, name, method, params]),
      )
      .digest('base64');
  }

  /** Sends log messages of the server to a client that asks for them with each request. */
  #logging({ mcpReq }: ServerContext, name: string): Disposable | undefined {
    const { caller, era } = this.#connection;
    if (era === 'legacy') return undefined;
    return this.#options.host.on('log', ({ server: from, principal, level, logger, data }) => {
      if (from !== name || principal !== caller.principal) return;
      mcpReq.log(level, data, logger).catch(() => undefined);
    });
  }
}

/** Gives the call up if the client cancels its request, or disconnects. */
function follow(call: OpenCall, { mcpReq }: ServerContext): Disposable {
  const { signal } = mcpReq;
  const stop = (): void => call.abandon(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', stop) };
}

/** Answers are for the server that asked, and the host validates them. */
const anything: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-fittings',
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: 'must be an object' }] }),
  },
};

/** Revision 2025-11-25 requires an id of a page, which servers of the next one do not give. */
function legacyParams({ method, params }: InputRequest): Record<string, unknown> {
  const given: Record<string, unknown> = isRecord(params) ? { ...params } : {};
  if (method !== 'elicitation/create' || given['mode'] !== 'url') return given;
  return { elicitationId: randomUUID(), ...given };
}

function notHeld(): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState.', {
    code: 'ABORTED',
    delivery: 'unknown',
  });
}

/** Returns the capabilities that a request of revision 2026-07-28 declares. */
function declaredIn(envelope: unknown): ClientCapabilities | undefined {
  const declared: unknown = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  return isRecord(declared) ? declared : undefined;
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

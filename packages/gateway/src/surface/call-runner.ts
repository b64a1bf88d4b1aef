import { randomUUID } from 'node:crypto';
import { FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { isLogLevel, LOG_LEVELS } from '@mcp-fittings/toolbox/logging';
import { isRecord, META, RPC_CODES } from '@mcp-fittings/toolbox/messages';
import { canonicalJson, hashText } from '@mcp-fittings/toolbox/text';
import { isReservedMetaKey, type CallOptions } from '@mcp-fittings/host';
import type { Question } from '../callbacks/client-input.js';
import { OpenCall, type ClientExchange } from '../callbacks/open-call.js';
import { RpcError } from '../contracts/rpc-error.js';
import type { ClientRequest } from '../contracts/surface.js';
import { inputRequired } from './held-call-relay.js';
import { recordIn } from './request-params.js';
import type { SurfaceDeps } from './surface-deps.js';

/** A request that is passed on to a server. */
export interface PassedRequest {
  readonly server: string;
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

/** Runs requests of clients. */
export class CallRunner {
  readonly #deps: SurfaceDeps;

  constructor(deps: SurfaceDeps) {
    this.#deps = deps;
  }

  /**
   * Passes a request on. A client of a session is asked while its request is open. One of revision 2026-07-28 gets an `input_required`
   * result, and the call is held until its next request brings the answers.
   */
  run(request: ClientRequest, passed: PassedRequest): Promise<JSONRPCObject> {
    const { requestState: state } = request.params;
    return request.era === 'legacy' || state === undefined
      ? this.#finish(this.#begin(request, passed), request, passed)
      : this.#continue(state, request, passed);
  }

  /** Continues a call that is held. */
  async #continue(state: unknown, request: ClientRequest, passed: PassedRequest): Promise<JSONRPCObject> {
    const { held, relay } = this.#deps;
    const { inputResponses } = request.params;
    if (typeof state !== 'string') return notHeld();
    const binding = bindingOf(request, passed);
    const responses = answersIn(inputResponses);
    const exchange = this.#exchangeOf(request);
    const call = held.take(state, binding);
    const { signal } = request.controller;
    if (call === undefined)
      return (await relay?.resume({ id: state, binding, responses, exchange, signal })) ?? notHeld();
    using _continued = call.continue(exchange, responses, signal);
    return await this.#finish(call, request, passed);
  }

  /** Passes on a request that never asks. */
  async once(request: ClientRequest, passed: PassedRequest): Promise<JSONRPCObject> {
    const call = this.#begin(request, passed);
    const step = await call.step();
    if ('result' in step) return asObject(step.result);
    const error = new FittingsError('CAPABILITY_MISSING', `${request.method} cannot ask the client.`, {
      server: passed.server,
      delivery: 'unknown',
    });
    call.abandon(error);
    throw error;
  }

  async #finish(call: OpenCall, request: ClientRequest, passed: PassedRequest): Promise<JSONRPCObject> {
    const logging = this.#logging(request, passed.server);
    try {
      const step = await call.step();
      if (!('questions' in step)) return asObject(step.result);
      return inputRequired(step.questions, this.#deps.held.hold(call, bindingOf(request, passed)));
    } finally {
      logging?.[Symbol.dispose]();
    }
  }

  #begin(request: ClientRequest, { server, target, work }: PassedRequest): OpenCall<object> {
    const { caller, method } = request;
    const { door, callbacks } = this.#deps;
    const meta = recordIn(request.params, '_meta');
    const own = Object.entries(meta).filter(([key]) => !isReservedMetaKey(key));
    const call = new OpenCall<object>({
      callerId: caller.id,
      principal: caller.principal,
      server,
      exchange: this.#exchangeOf(request),
      controller: request.controller,
      work: (open) => {
        const onProgress: CallOptions['onProgress'] = (progress) =>
          open.exchange.notify('notifications/progress', { ...progress });
        const options = {
          signal: open.signal,
          origin: open.origin,
          principal: caller.principal,
          meta: own.length > 0 ? Object.fromEntries(own) : undefined,
          onProgress: meta['progressToken'] === undefined ? undefined : onProgress,
        };
        return door(caller, { server, method, target }, () => work(options, open));
      },
    });
    callbacks?.add(call);
    return call;
  }

  #exchangeOf(request: ClientRequest): ClientExchange {
    const { caller, era, params, session, client, notify, ask } = request;
    const meta = recordIn(params, '_meta');
    const declared = meta[META.clientCapabilities];
    return {
      // A person who calls without a session is one client; a connection that people share has several.
      client: era === 'modern' && caller.principal !== undefined ? caller.id : client,
      capabilities: isRecord(declared) ? declared : session?.capabilities,
      notify(method, given) {
        const { progressToken } = meta;
        if (method !== 'notifications/progress') notify(method, given);
        else if (progressToken !== undefined) notify(method, { ...given, progressToken });
      },
      ask: ask && ((question, signal) => this.#ask(caller.id, ask, question, signal)),
    };
  }

  /** Asks a client of a session. What waits counts among the held calls. */
  async #ask(
    callerId: string,
    ask: NonNullable<ClientRequest['ask']>,
    question: Question,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { limits, held } = this.#deps;
    using _waiting = held.count(callerId);
    return await ask(forSession(question), { signal, timeoutMs: limits.answerMs });
  }

  /** Sends log messages of the server to a client that asks for them with the request. */
  #logging({ caller, era, params, notify }: ClientRequest, name: string): Disposable | undefined {
    const wanted = era === 'modern' ? recordIn(params, '_meta')[META.logLevel] : undefined;
    if (!isLogLevel(wanted)) return undefined;
    const least = LOG_LEVELS.indexOf(wanted);
    return this.#deps.options.host.on('log', ({ server: from, principal, level, logger, data }) => {
      if (from !== name || principal !== caller.principal || LOG_LEVELS.indexOf(level) < least) return;
      notify('notifications/message', { level, data, ...(logger !== undefined && { logger }) });
    });
  }
}

function bindingOf({ caller, mount, method }: ClientRequest, { server, params }: PassedRequest): string {
  const bound = [caller.id, caller.principal ?? null, mount.server ?? null, server, method, params];
  return hashText(canonicalJson(bound));
}

/** Revision 2025-11-25 requires an id of a page, which servers of the next one do not give. */
function forSession({ method, params }: Question): Question {
  if (method !== 'elicitation/create' || params?.['mode'] !== 'url') return { method, params };
  return { method, params: { elicitationId: randomUUID(), ...params } };
}

/** Answers are for the server that asked, and the host validates them. */
function answersIn(responses: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(responses)) return {};
  return Object.fromEntries(Object.entries(responses).filter(([, answer]) => isRecord(answer)));
}

function notHeld(): never {
  throw new RpcError(RPC_CODES.invalidParams, 'Invalid or expired requestState.', {
    code: 'ABORTED',
    delivery: 'unknown',
  });
}

const asObject = (value: unknown): JSONRPCObject => (isRecord(value) ? value : {});

import { createHash } from 'node:crypto';
import { FittingsError, isRecord, type Clock } from '@mcp-fittings/client-core';
import { canonicalJson } from '@mcp-fittings/client-core/text';
import type { CallOptions, Host } from '@mcp-fittings/host';
import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  inputRequired,
  type ClientCapabilities,
  type Notification,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { CallbackRouter } from '../callbacks/callback-router.js';
import type { HeldCalls } from '../callbacks/held-calls.js';
import { createOpenCall, type ClientExchange, type OpenCall } from '../callbacks/open-call.js';
import type { RequestObserver } from '../contracts/request-event.js';
import type { ClientConnection } from '../contracts/surface.js';
import { metaForServer } from './client-meta.js';
import type { HeldCallRelay } from './held-call-relay.js';
import { toProtocolError } from './protocol-errors.js';
import type { SurfaceOptions } from './surface-options.js';

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

/** Options of {@link createCallRunner}. */
export interface CallRunnerOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly held: HeldCalls;
  /** Continues calls that other replicas hold. */
  readonly relay: HeldCallRelay | undefined;
  readonly callbacks: CallbackRouter | undefined;
  readonly observe: RequestObserver | undefined;
  readonly admit: SurfaceOptions['admit'];
}

/** Runs requests of one client. */
export interface CallRunner {
  /**
   * Passes a request on. If it asks the client, returns an `input_required` result and holds the call until the client has answered:
   * the SDK asks clients of earlier revisions itself, and runs the request again with the answers.
   */
  run(request: PassedRequest, context: ServerContext): Promise<Result>;
  /** Passes on a request that never asks. */
  once(request: PassedRequest, context: ServerContext): Promise<Result>;
  /** Call it when a request has ended for the client: in the legacy era, its call ends with it. */
  requestEnded(signal: AbortSignal): void;
}

/** Creates the runner for the clients of one connection. */
export function createCallRunner(
  { host, clock, held, relay, callbacks, observe, admit }: CallRunnerOptions,
  { caller, mount, era }: ClientConnection,
  server: () => Server,
): CallRunner {
  const calls = new WeakMap<AbortSignal, OpenCall>();

  const exchangeOf = ({ mcpReq }: ServerContext): ClientExchange => ({
    // A person who calls without a session is one client; a connection that people share has several.
    client: era === 'modern' && caller.principal !== undefined ? caller.id : server(),
    capabilities: declaredIn(mcpReq.envelope) ?? server().getClientCapabilities(),
    async notify(notification: Notification) {
      const { progressToken } = mcpReq._meta ?? {};
      if (notification.method !== 'notifications/progress') return mcpReq.notify(notification);
      if (progressToken === undefined) return;
      await mcpReq.notify({ ...notification, params: { ...notification.params, progressToken } });
    },
  });

  const bindingOf = ({ server: name, method, params }: PassedRequest): string =>
    createHash('sha256')
      .update(
        canonicalJson([caller.id, caller.principal ?? null, mount.server ?? null, name, method, params]),
      )
      .digest('base64');

  const observed = async (request: PassedRequest, work: () => Promise<object>): Promise<object> => {
    if (observe === undefined) return work();
    const { server: name, method, target } = request;
    const begun = clock.now();
    const tell = (error?: FittingsError): void =>
      observe({ caller, server: name, method, target, durationMs: clock.now() - begun, error });
    try {
      const result = await work();
      tell();
      return result;
    } catch (error) {
      tell(error instanceof FittingsError ? error : unexpected(error, name));
      throw error;
    }
  };

  const begin = (request: PassedRequest, context: ServerContext): OpenCall<object> => {
    const { _meta: meta } = context.mcpReq;
    const own = metaForServer(meta);
    const { server: name } = request;
    const work = (call: OpenCall): Promise<object> => {
      const onProgress: CallOptions['onProgress'] = (progress) => {
        const params = { ...progress };
        call.exchange.notify({ method: 'notifications/progress', params }).catch(() => undefined);
      };
      const options = {
        signal: call.signal,
        origin: call.origin,
        principal: caller.principal,
        ...(own !== undefined && { meta: own }),
        ...(meta?.progressToken !== undefined && { onProgress }),
      };
      return observed(request, async () => {
        await admit?.(caller, name);
        return request.work(options, call);
      });
    };
    const call = createOpenCall<object>({
      callerId: caller.id,
      principal: caller.principal,
      server: name,
      exchange: exchangeOf(context),
      work,
    });
    callbacks?.add(call);
    return call;
  };

  /** Gives the call up if the client cancels its request, or disconnects. */
  const follow = (call: OpenCall, { mcpReq }: ServerContext): Disposable => {
    const { signal } = mcpReq;
    const stop = (): void => call.abandon(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    return { [Symbol.dispose]: () => signal.removeEventListener('abort', stop) };
  };

  /** Sends log messages of the server to a client that asks for them with each request. */
  const logging = ({ mcpReq }: ServerContext, name: string): Disposable | undefined =>
    era === 'legacy'
      ? undefined
      : host.on('log', ({ server: from, principal, level, logger, data }) => {
          if (from !== name || principal !== caller.principal) return;
          mcpReq.log(level, data, logger).catch(() => undefined);
        });

  const finish = async (
    call: OpenCall,
    request: PassedRequest,
    binding: string,
    context: ServerContext,
  ): Promise<Result> => {
    using _logging = logging(context, request.server);
    const followed = follow(call, context);
    try {
      const step = await call.step();
      if (!('questions' in step)) return { ...asObject(step.result) };
      return inputRequired({ inputRequests: step.questions, requestState: held.hold(call, binding) });
    } catch (error) {
      throw toProtocolError(error, era);
    } finally {
      // In the legacy era, the request stays open while its client is asked.
      if (era === 'modern') followed[Symbol.dispose]();
    }
  };

  return {
    async run(request, context) {
      const state = context.mcpReq.requestState();
      const binding = bindingOf(request);
      if (state === undefined) {
        const call = begin(request, context);
        if (era === 'legacy') calls.set(context.mcpReq.signal, call);
        return finish(call, request, binding, context);
      }
      const call = typeof state === 'string' ? held.take(state, binding) : undefined;
      const responses = context.mcpReq.inputResponses ?? {};
      if (call === undefined) {
        const exchange = exchangeOf(context);
        const { signal } = context.mcpReq;
        const continued =
          typeof state === 'string'
            ? await relay?.resume({ id: state, binding, responses, exchange, signal })
            : undefined;
        return continued ?? notHeld();
      }
      call.exchange = exchangeOf(context);
      call.answer(responses);
      return finish(call, request, binding, context);
    },
    async once(request, context) {
      const call = begin(request, context);
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
    },
    requestEnded(signal) {
      const call = calls.get(signal);
      if (call === undefined) return;
      calls.delete(signal);
      if (call.isOpen) call.abandon(new FittingsError('ABORTED', 'The client did not answer.'));
    },
  };
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

function unexpected(cause: unknown, server: string): FittingsError {
  return new FittingsError('CALLBACK_FAILED', 'The gateway could not process the request.', {
    server,
    cause,
  });
}

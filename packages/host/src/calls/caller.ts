import { AuthRequiredError, FittingsError, type Clock } from '@mcp-fittings/client-core';
import { createDeadline } from '../connection/deadline.js';
import type { Live } from '../connection/attempt.js';
import type { Supervisor } from '../connection/supervisor.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { CallOptions, DeliveryPolicy } from '../contracts/host.js';
import type { Progress } from '../contracts/content.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import { createRateLimit } from '../observability/rate-limit.js';
import { sleep } from '../connection/sleep.js';
import { createResends } from './resends.js';

export interface CallerParts {
  readonly server: string;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly delivery: DeliveryPolicy;
  /** Milliseconds without an answer or progress, for a request of this method. */
  readonly msOf: (method: string) => number;
  readonly callTotalMs: number;
  readonly eventsPerSecond: number;
  /** Added to `_meta` of each request: the current trace context. */
  readonly meta: () => Readonly<Record<string, unknown>> | undefined;
  /** Told when a call begins and ends, so that an idle server is known. */
  readonly onBusy: (delta: 1 | -1) => void;
  /** The server wants a person to sign in; it said so over this connection. */
  readonly onAuthRequired: (error: AuthRequiredError, live: Live) => void;
  /** Whether another process has signed in since; for a server that waits for it. */
  readonly signedInElsewhere: () => Promise<boolean>;
  /** Leads the person through the pages that a refused call names; true when it is worth sending again. */
  readonly carryOut: (refusal: unknown, signal: AbortSignal | undefined) => Promise<boolean>;
}

export interface Call<T> extends CallInFlight {
  readonly options: CallOptions;
  /** To send it twice does no harm. */
  readonly repeatable: boolean;
  readonly send: (session: EngineSession, options: EngineRequestOptions) => Promise<T>;
}

/** Sends calls over whatever connection the server has, under the delivery policy. */
export interface Caller {
  call<T>(call: Call<T>): Promise<T>;
  /** Calls that were sent and have no answer yet. */
  inFlight(): readonly CallInFlight[];
  /** Resolves when no call is under way over this connection. */
  settled(live: Live): Promise<void>;
}

export function createCaller(parts: CallerParts): Caller {
  const { supervisor, delivery } = parts;
  const sent = new Map<Call<unknown>, { readonly live: Live; readonly answered: Promise<unknown> }>();

  const connection = async (signal: AbortSignal | undefined, timeoutMs: number): Promise<Live> => {
    const { live, state } = supervisor;
    if (live !== undefined && live.transport.closeReason === undefined) return live;
    if (state.status === 'needs-auth' && !(await parts.signedInElsewhere())) throw state.error;
    if (delivery === 'none' || (state.status === 'disconnected' && state.reason === 'stopped')) {
      throw notConnected(parts.server, supervisor);
    }
    // What failed stays as it is: a call is no reason to try again.
    using deadline = createDeadline(parts.clock, timeoutMs, signal);
    // Its end is near but not yet noticed: the next connection is the one to wait for.
    if (live !== undefined) await raceAbort(live.ended, deadline.signal);
    if (state.status === 'failed') throw notSent(state.error);
    try {
      return await supervisor.start(deadline.signal);
    } catch (error) {
      throw deadline.passed ? notConnected(parts.server, supervisor) : notSent(error);
    }
  };

  const sendOnce = async <T>(call: Call<T>): Promise<T> => {
    const { signal, timeoutMs = parts.msOf(call.method), onProgress } = call.options;
    const live = await connection(signal, timeoutMs);
    try {
      const answered = call.send(live.session, {
        signal,
        timeoutMs,
        maxTotalMs: Math.max(parts.callTotalMs, timeoutMs),
        onProgress: onProgress && limited(onProgress, parts),
        meta: parts.meta(),
      });
      sent.set(call, { live, answered });
      const result = await answered;
      supervisor.noteProgress();
      return result;
    } catch (error) {
      if (error instanceof AuthRequiredError) parts.onAuthRequired(error, live);
      throw error;
    } finally {
      sent.delete(call);
    }
  };

  /** Once more, when the server wanted the person to visit a page before, and they did. */
  const sendAfterPages = async <T>(call: Call<T>): Promise<T> => {
    try {
      return await sendOnce(call);
    } catch (refusal) {
      if (!(await parts.carryOut(refusal, call.options.signal))) throw refusal;
      return sendOnce(call);
    }
  };

  return {
    async call(call) {
      const { signal } = call.options;
      const givenUp = (): boolean => signal?.aborted === true;
      if (givenUp()) throw gaveUp(parts.server, signal?.reason);
      parts.onBusy(1);
      try {
        const { timeoutMs: withinMs = parts.msOf(call.method) } = call.options;
        const { clock, random } = parts;
        const resends = createResends({ clock, random, withinMs, repeatable: call.repeatable });
        for (;;) {
          try {
            return await sendAfterPages(call);
          } catch (error) {
            const ms = delivery === 'retry' && !hasEnded(supervisor) ? resends.next(error) : undefined;
            if (ms === undefined || givenUp()) throw error;
            await sleep(clock, ms, signal ?? new AbortController().signal);
            if (givenUp()) throw error;
          }
        }
      } finally {
        parts.onBusy(-1);
      }
    },
    inFlight: () => Array.from(sent.keys(), ({ method, target }) => ({ method, target })),
    async settled(live) {
      const open = [...sent.values()].filter((each) => each.live === live);
      await Promise.allSettled(open.map(({ answered }) => answered));
    },
  };
}

/** Nothing connects it again by itself. */
function hasEnded({ state }: Supervisor): boolean {
  return state.status !== 'connected' && state.status !== 'connecting' && state.status !== 'pending';
}

/** A flood of progress reaches the host at a bounded rate; the newest of each second's first ones are enough. */
function limited(onProgress: (progress: Progress) => void, parts: CallerParts): (progress: Progress) => void {
  const rate = createRateLimit(parts.clock, parts.eventsPerSecond);
  return (progress) => {
    if (rate.allow()) onProgress(progress);
  };
}

function raceAbort(ended: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return Promise.race([
    ended,
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  ]);
}

function gaveUp(server: string, cause: unknown): FittingsError {
  return new FittingsError('ABORTED', `The caller gave up before "${server}" was asked.`, {
    server,
    cause,
    delivery: 'not-sent',
  });
}

function notConnected(server: string, supervisor: Supervisor): FittingsError {
  const { state } = supervisor;
  const cause = 'error' in state ? state.error : undefined;
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new FittingsError('CONNECTION_LOST', `"${server}" is not connected (${state.status})${why}`, {
    server,
    cause,
    delivery: 'not-sent',
    hint: cause?.hint,
  });
}

/** The same failure, seen by a call that was never sent. */
function notSent(error: unknown): unknown {
  if (
    !(error instanceof FittingsError) ||
    error instanceof AuthRequiredError ||
    error.delivery === 'not-sent'
  ) {
    return error;
  }
  const { code, message, server, kind, retryable, hint, details } = error;
  return new FittingsError(code, message, {
    server,
    kind,
    retryable,
    hint,
    details,
    cause: error,
    delivery: 'not-sent',
  });
}

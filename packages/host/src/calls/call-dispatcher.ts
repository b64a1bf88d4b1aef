import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { abortable, withTimeout } from '@mcp-fittings/toolbox/timing';
import type { Connection } from '../connection/connect-once.js';
import type { Supervisor } from '../connection/supervisor.js';
import type { Progress } from '../contracts/content.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { CallOptions } from '../contracts/host.js';
import type { HostLimits } from '../contracts/host-options.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import { createRateLimit } from '../limiters.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { createCallRecovery, type CallRecovery, type CallRecoveryDeps } from './call-recovery.js';

export interface CallDispatcherDeps extends Pick<CallRecoveryDeps, 'visitPages'> {
  readonly supervisor: Supervisor;
  /** Called when a call starts (1) and ends (-1), for the idle timer. */
  readonly onBusy: (delta: 1 | -1) => void;
  /** Called when the server requires a sign-in over this connection. */
  readonly onAuthRequired: (error: AuthRequiredError, connection: Connection) => void;
  /** Called when a call has failed that was sent over this connection. */
  readonly onFailed: (error: unknown, connection: Connection) => void;
  /** Resolves with whether another process has signed in since the server required it. */
  readonly signedInElsewhere: () => Promise<boolean>;
}

/** A call of the host, and how to send it. */
export interface Call<T> extends CallInFlight {
  readonly options: CallOptions;
  /** Whether sending it twice is harmless. */
  readonly repeatable: boolean;
  readonly send: (session: EngineSession, options: EngineRequestOptions) => Promise<T>;
}

/** Sends calls over the current connection of the server, according to the delivery policy. */
export interface CallDispatcher {
  call<T>(call: Call<T>): Promise<T>;
  /** Returns the calls that were sent and have no response yet. */
  inFlight(): readonly CallInFlight[];
  /** Returns the call with an `origin` in whose asynchronous context this is called. */
  current(): CallInFlight | undefined;
  /** Resolves when no call is open on this connection. */
  settled(connection: Connection): Promise<void>;
}

export function createCallDispatcher(
  shared: Pick<ServerDeps, 'server' | 'clock' | 'random' | 'limits' | 'settings' | 'runningCall'>,
  deps: CallDispatcherDeps,
): CallDispatcher {
  const { server, clock, limits, settings, runningCall } = shared;
  const { supervisor, visitPages } = deps;
  const { delivery } = settings;
  const sent = new Map<
    Call<unknown>,
    { readonly connection: Connection; readonly answered: Promise<unknown> }
  >();

  const requestOptions = ({ options }: Call<unknown>, timeoutMs: number): EngineRequestOptions => {
    const { signal, onProgress, meta, headers } = options;
    return {
      signal,
      timeoutMs,
      maxTotalMs: Math.max(limits.callTotalMs, timeoutMs),
      onProgress: onProgress && limited(onProgress),
      meta,
      headers,
    };
  };

  /** Bounds the rate of progress reports. */
  const limited = (onProgress: (progress: Progress) => void): ((progress: Progress) => void) => {
    const rate = createRateLimit(clock, limits.eventsPerSecond);
    return (progress) => {
      if (rate.allow()) onProgress(progress);
    };
  };

  /** Returns the connection that can be used now. */
  const usable = (): Connection | undefined => {
    const { connection } = supervisor;
    return connection?.transport.closeReason === undefined ? connection : undefined;
  };

  /** Waits for the next connection of the server. */
  const awaitConnection = async (signal: AbortSignal | undefined, timeoutMs: number): Promise<Connection> => {
    const { connection: ending, state } = supervisor;
    if (state.status === 'needs-auth' && !(await deps.signedInElsewhere())) throw state.error;
    if (delivery === 'none' || (state.status === 'disconnected' && state.reason === 'stopped')) {
      throw notConnected(server, supervisor);
    }
    // 0 means no time, whereas withTimeout takes it as unlimited.
    const ms = Math.max(1, timeoutMs);
    try {
      return await withTimeout(
        { ms, error: () => notConnected(server, supervisor), signal, clock },
        async (within) => {
          // The connection has ended, but its end has not been processed yet.
          if (ending !== undefined) await abortable(ending.ended, within);
          return supervisor.reach(within);
        },
      );
    } catch (error) {
      throw signal?.aborted === true ? aborted(server, signal.reason) : notSent(error);
    }
  };

  const run = async <T>(call: Call<T>): Promise<T> => {
    const { signal, headers } = call.options;
    if (signal?.aborted === true) throw aborted(server, signal.reason);
    const timeoutMs = timeoutOf(call.method, call.options, { limits, callMs: settings.callMs });
    const end = clock.now() + timeoutMs;
    let recovery: CallRecovery | undefined;
    deps.onBusy(1);
    try {
      for (;;) {
        let connection: Connection | undefined;
        try {
          // A connection outlives the call that made it.
          connection = usable() ?? (await runningCall.exit(() => awaitConnection(signal, timeoutMs)));
          if (headers !== undefined) checkSendsHeaders(server, connection);
          const answered = call.send(connection.session, requestOptions(call, timeoutMs));
          sent.set(call, { connection, answered });
          const result = await answered;
          sent.delete(call);
          supervisor.noteProgress();
          return result;
        } catch (error) {
          sent.delete(call);
          if (connection !== undefined && error instanceof AuthRequiredError)
            deps.onAuthRequired(error, connection);
          else if (connection !== undefined) deps.onFailed(error, connection);
          recovery ??= createCallRecovery(
            shared,
            { mayRetry: () => delivery === 'retry' && !hasEnded(supervisor), visitPages },
            { repeatable: call.repeatable, end, signal },
          );
          await recovery.recover(error);
        }
      }
    } finally {
      deps.onBusy(-1);
    }
  };

  return {
    call(call) {
      // A context makes every promise of the process slower in Node.js before 24, so only calls that need one have it.
      if (call.options.origin === undefined) return run(call);
      return runningCall.run({ owner: sent, call: described(call) }, () => run(call));
    },
    inFlight: () => Array.from(sent.keys(), described),
    current() {
      const running = runningCall.getStore();
      return running?.owner === sent ? running.call : undefined;
    },
    async settled(connection) {
      const open = [...sent.values()].filter((each) => each.connection === connection);
      await Promise.allSettled(open.map(({ answered }) => answered));
    },
  };
}

function described({ method, target, options: { origin } }: Call<unknown>): CallInFlight {
  return { method, target, ...(origin !== undefined && { origin }) };
}

/** Returns the longest time without a response or progress of a call, in milliseconds. */
export function timeoutOf(
  method: string,
  { timeoutMs }: CallOptions,
  { limits, callMs }: { readonly limits: HostLimits; readonly callMs: number },
): number {
  if (timeoutMs !== undefined) return timeoutMs;
  if (method === 'resources/read') return limits.readMs ?? callMs;
  return (method === 'prompts/get' ? limits.promptMs : undefined) ?? callMs;
}

/** Returns whether the server will not be connected again by itself. */
function hasEnded({ state }: Supervisor): boolean {
  return state.status !== 'connected' && state.status !== 'connecting' && state.status !== 'pending';
}

/** Throws `CAPABILITY_MISSING` if the transport does not send headers. */
function checkSendsHeaders(server: string, { transport, type }: Connection): void {
  if (transport.sendsHeaders === true) return;
  throw new FittingsError(
    'CAPABILITY_MISSING',
    `The server "${server}" is connected over ${type}, which does not send headers with a call.`,
    {
      server,
      delivery: 'not-sent',
      hint: 'Only Streamable HTTP sends headers of a call. Use "meta" of the call for other servers.',
      details: { transport: type },
    },
  );
}

function aborted(server: string, cause: unknown): FittingsError {
  return new FittingsError(
    'ABORTED',
    `The caller aborted the call before it was sent to the server "${server}".`,
    {
      server,
      cause,
      delivery: 'not-sent',
    },
  );
}

function notConnected(server: string, supervisor: Supervisor): FittingsError {
  const { state } = supervisor;
  const cause = 'error' in state ? state.error : undefined;
  const why = cause === undefined ? '' : `: ${cause.message}`;
  return new FittingsError(
    'CONNECTION_LOST',
    `The server "${server}" is not connected (${state.status})${why}`,
    {
      server,
      cause,
      delivery: 'not-sent',
      hint: cause?.hint,
    },
  );
}

/** Returns the failure of the connection as the failure of a call that was never sent. */
function notSent(error: unknown): unknown {
  if (
    !(error instanceof FittingsError) ||
    error instanceof AuthRequiredError ||
    error.delivery === 'not-sent'
  ) {
    return error;
  }
  return restateError(error, { delivery: 'not-sent' });
}

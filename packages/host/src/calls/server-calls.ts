import { AuthRequiredError, FittingsError, type JSONRPCObject } from '@mcp-fittings/client-core';
import { restateError } from '@mcp-fittings/toolbox/errors';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { abortable, withTimeout } from '@mcp-fittings/toolbox/timing';
import type { Connection } from '../connection/connect-once.js';
import { stoppedError, type Supervisor } from '../connection/supervisor.js';
import type { ToolDefinition } from '../contracts/catalog.js';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';
import type { CallOptions } from '../contracts/host.js';
import type { CallInFlight } from '../contracts/server-requests.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { CallRecovery } from './call-recovery.js';
import { described, type IdleTimer, type OpenCalls } from './open-calls.js';
import type { UrlElicitations } from './url-elicitations.js';

/** A call of the host: what it sends, and how its result is read. */
export interface Call<T> extends CallInFlight {
  readonly options: CallOptions;
  /** True if sending it twice is harmless. */
  readonly repeatable: boolean;
  /** Capability that the server must declare. Default: none. */
  readonly needs?: keyof typeof OFFERS | undefined;
  readonly params: JSONRPCObject;
  /** The tool that it calls, as the server listed it. */
  readonly definition?: ToolDefinition | undefined;
  /** Sends it once, with `meta` of its options in `params`. Default: as one request. */
  readonly send?:
    | ((
        session: EngineSession,
        params: JSONRPCObject,
        options: EngineRequestOptions,
      ) => Promise<JSONRPCObject>)
    | undefined;
  readonly read: (result: JSONRPCObject) => T;
}

export interface ServerCallsDeps {
  readonly open: OpenCalls;
  readonly supervisor: Supervisor;
  readonly urlElicitations: UrlElicitations;
  readonly idle: IdleTimer;
  /** Called when the server requires a sign-in over this connection. */
  readonly onAuthRequired: (error: AuthRequiredError, connection: Connection) => void;
  /** Called when a call has failed that was sent over this connection. */
  readonly onFailed: (error: unknown, connection: Connection) => void;
  /** Resolves with whether another process has signed in since the server required it. */
  readonly signedInElsewhere: () => Promise<boolean>;
}

/** Sends the calls of one server over its current connection, according to the delivery policy. */
export class ServerCalls {
  readonly #shared: ServerDeps;
  readonly #deps: ServerCallsDeps;

  constructor(shared: ServerDeps, deps: ServerCallsDeps) {
    this.#shared = shared;
    this.#deps = deps;
  }

  /** Sends a call, again if it may be, and resolves with its result. */
  send<T>(call: Call<T>): Promise<T> {
    const { tracer, server } = this.#shared;
    const { method, target } = call;
    if (!tracer.isActive('call')) return this.#send(call);
    return tracer.trace('call', { server, method, target }, () => this.#send(call));
  }

  async #send<T>(call: Call<T>): Promise<T> {
    const { server, clock, settings } = this.#shared;
    const { open, supervisor, idle } = this.#deps;
    const { signal, headers, meta } = call.options;
    if (signal?.aborted === true) throw aborted(server, signal.reason);
    const { timeoutMs = settings.callMs } = call.options;
    const end = clock.now() + timeoutMs;
    const params =
      meta === undefined ? call.params : { ...call.params, _meta: { ...call.params._meta, ...meta } };
    let recovery: CallRecovery | undefined;
    idle.busy(1);
    try {
      for (;;) {
        let connection: Connection | undefined;
        try {
          connection = this.#usable() ?? (await this.#awaitConnection(signal, timeoutMs));
          const { session } = connection;
          if (headers !== undefined) checkSendsHeaders(server, connection);
          if (call.needs !== undefined) checkCapability(server, session, call.needs);
          const options = this.#requestOptions(call, timeoutMs);
          const answered =
            call.send === undefined
              ? session.request(call.method, params, options)
              : call.send(session, params, options);
          open.add({ call, connection, answered });
          const result = call.read(await answered);
          open.delete(call);
          supervisor.noteProgress();
          return result;
        } catch (error) {
          open.delete(call);
          if (connection !== undefined && error instanceof AuthRequiredError)
            this.#deps.onAuthRequired(error, connection);
          else if (connection !== undefined) this.#deps.onFailed(error, connection);
          recovery ??= new CallRecovery(this.#shared, {
            call: described(call),
            end,
            signal,
            mayRepeat: () => call.repeatable,
            mayRetry: () => settings.delivery === 'retry' && !hasEnded(supervisor),
            urlElicitations: this.#deps.urlElicitations,
          });
          await recovery.recover(error);
        }
      }
    } finally {
      idle.busy(-1);
    }
  }

  #requestOptions(call: Call<unknown>, timeoutMs: number): EngineRequestOptions {
    const { options, definition } = call;
    const { signal, onProgress, headers } = options;
    return {
      signal,
      timeoutMs,
      maxTotalMs: Math.max(this.#shared.limits.callTotalMs, timeoutMs),
      onProgress,
      headers,
      definition,
      call: described(call),
    };
  }

  /** Returns the connection that can be used now. */
  #usable(): Connection | undefined {
    const { connection } = this.#deps.supervisor;
    return connection?.transport.closeReason === undefined ? connection : undefined;
  }

  /** Waits for the next connection of the server. */
  async #awaitConnection(signal: AbortSignal | undefined, timeoutMs: number): Promise<Connection> {
    const { server, clock, settings } = this.#shared;
    const { supervisor, signedInElsewhere } = this.#deps;
    const { connection: ending, state } = supervisor;
    if (state.status === 'needs-auth' && !(await signedInElsewhere())) throw state.error;
    if (supervisor.isStopped) throw stoppedError(server);
    if (settings.delivery === 'none') throw notConnected(server, supervisor);
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
  }
}

/** Capabilities of a server that calls need, and what a server with one of them offers. */
const OFFERS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  completions: 'completions',
  logging: 'log messages',
} as const;

/** Throws `CAPABILITY_MISSING` if the server does not declare the capability. */
export function checkCapability(
  server: string,
  { capabilities }: EngineSession,
  capability: keyof typeof OFFERS,
): void {
  if (isRecord(capabilities[capability])) return;
  const what = OFFERS[capability];
  throw new FittingsError('CAPABILITY_MISSING', `The server "${server}" does not offer ${what}.`, {
    server,
    delivery: 'not-sent',
    details: { capability },
  });
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
      hint: 'Only Streamable HTTP sends headers of a call. Use "meta" for other servers.',
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

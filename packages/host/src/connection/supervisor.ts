import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/client-core/timing';
import type { ConnectPhase, ConnectionState, DisconnectReason } from '../contracts/state.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { Connection } from './attempt.js';

export interface SupervisorDeps {
  readonly connect: (
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ) => Promise<Connection>;
  /** Runs between the handshake and `connected`; a rejection counts as a failed attempt. */
  readonly prepare: (connection: Connection, signal: AbortSignal) => Promise<void>;
  /** Resolves when no call is under way over this connection. */
  readonly settled: (connection: Connection) => Promise<void>;
  readonly onState: (state: ConnectionState, previous: ConnectionState) => void;
}

/** No delay between attempts is longer, milliseconds. */
const MAX_DELAY_MS = 30_000;
/** So long an attempt keeps its turn: the cap is on starting servers, not on waiting for their answers. Milliseconds. */
const TURN_MS = 500;
/** A connection that lived so long, or answered a call, earns a fresh budget of attempts. */
const STABLE_MS = 30_000;

/**
 * Keeps one server connected: one loop, so that there are never two open transports; attempts with back-off within a
 * budget that only progress renews; nothing once it was stopped.
 */
export interface Supervisor {
  readonly state: ConnectionState;
  readonly connection: Connection | undefined;
  /** Connects unless it is connected or at it. Resolves when connected; rejects with why it is not going to be. */
  start(signal?: AbortSignal): Promise<Connection>;
  /** Resolves when everything of the connection is gone. */
  stop(reason: DisconnectReason): Promise<void>;
  /** Resolves at the first outcome of what is going on, also a failed attempt that will be repeated. */
  firstOutcome(): Promise<void>;
  /** A call succeeded: the connection is worth a fresh budget. */
  noteProgress(): void;
  /** Gives up the connection because of this and connects again, within the budget. */
  giveUp(connection: Connection, reason: FittingsError): void;
  /**
   * Ends in `needs-auth`, unless the connection is not the present one. It is closed when the calls that are under way
   * over it have their answers: what one call was refused says nothing of the others.
   */
  requireAuth(connection: Connection, error: AuthRequiredError): void;
  /** Stops for good: nothing starts it again. */
  dispose(): Promise<void>;
  /** Ends in `disabled`, and stays there until `enable`. */
  disable(): Promise<void>;
  enable(): void;
}

interface Run {
  readonly controller: AbortController;
  done: Promise<void>;
}

export function createSupervisor(
  shared: Pick<ServerDeps, 'server' | 'clock' | 'random' | 'settings' | 'turn'>,
  deps: SupervisorDeps,
): Supervisor {
  const { server, clock } = shared;
  const { reconnect, disabled: isDisabled } = shared.settings;
  const maxAttempts = reconnect.maxAttempts + 1;
  let state: ConnectionState = isDisabled
    ? { status: 'disabled' }
    : { status: 'disconnected', reason: 'not started' };
  let run: Run | undefined;
  let current: Connection | undefined;
  let progressed = false;
  /** It was connected before: whatever keeps it away now may pass. */
  let hasWorked = false;
  let giveUpCurrent: ((reason: FittingsError) => void) | undefined;
  let disposed = false;
  let disabled = isDisabled;
  const watchers = new Set<() => void>();
  /** Connections that take no new calls and wait for the answers to the old ones, each with what closes it at once. */
  const retiring = new Map<Connection, () => Promise<void>>();

  const become = (next: ConnectionState): void => {
    const previous = state;
    state = next;
    deps.onState(next, previous);
    for (const watcher of watchers) watcher();
  };

  /** Resolves with the first value other than undefined that `look` gives now or at a later state. */
  const when = <T>(look: () => T | undefined, signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      const stopWatching = (): void => {
        watchers.delete(check);
        signal?.removeEventListener('abort', onAbort);
      };
      const check = (): void => {
        const found = look();
        if (found === undefined) return;
        stopWatching();
        resolve(found);
      };
      const onAbort = (): void => {
        stopWatching();
        reject(
          new FittingsError('ABORTED', `The caller gave up waiting for "${server}".`, {
            server,
            cause: signal?.reason,
            delivery: 'not-sent',
          }),
        );
      };
      if (signal?.aborted === true) return onAbort();
      signal?.addEventListener('abort', onAbort, { once: true });
      watchers.add(check);
      check();
    });

  const attempt = async (number: number, signal: AbortSignal): Promise<Connection> => {
    const giveBack = await shared.turn(signal);
    const turn = clock.schedule(giveBack, TURN_MS);
    let made: Connection | undefined;
    try {
      const phase = (name: ConnectPhase): void =>
        become({ status: 'connecting', attempt: number, maxAttempts, phase: name });
      made = await deps.connect(signal, number, phase);
      phase('listing');
      await deps.prepare(made, signal);
      signal.throwIfAborted();
      return made;
    } catch (error) {
      await made?.session.close().catch(() => undefined);
      throw error;
    } finally {
      turn[Symbol.dispose]();
      giveBack();
    }
  };

  /** Resolves when the connection has ended or was given up: with the reason, unless we were told to stop. */
  const hold = async (connection: Connection, signal: AbortSignal): Promise<FittingsError | undefined> => {
    const { session, ended } = connection;
    current = connection;
    progressed = false;
    const since = clock.now();
    const { protocolVersion, serverInfo, instructions, capabilities } = session;
    become({
      status: 'connected',
      since,
      connection: { protocolVersion, serverInfo, instructions, capabilities },
    });
    const stopped = new AbortController();
    const reason = await new Promise<FittingsError | undefined>((resolve) => {
      giveUpCurrent = resolve;
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: stopped.signal });
      void ended.then((why) => resolve(why ?? lost(server)));
    });
    stopped.abort();
    current = undefined;
    giveUpCurrent = undefined;
    if (!retiring.has(connection)) await session.close().catch(() => undefined);
    if (clock.now() - since >= STABLE_MS) progressed = true;
    return reason;
  };

  /** Connects and connects again; resolves with the state in which it gave up, or undefined when told to stop. */
  const loop = async (signal: AbortSignal): Promise<ConnectionState | undefined> => {
    for (let number = 1; !signal.aborted; number++) {
      let error: FittingsError;
      let worthRetry: boolean;
      try {
        const connection = await attempt(number, signal);
        hasWorked = true;
        error = (await hold(connection, signal)) ?? lost(server);
        // It worked before, so whatever ended it, short of a mistake in the entry, may be over.
        worthRetry = error.kind !== 'config';
        if (progressed) number = 0;
      } catch (cause) {
        error = toFittingsError(server, cause);
        worthRetry = error.retryable || (hasWorked && mayPass(error));
      }
      if (signal.aborted) break;
      if (error instanceof AuthRequiredError) return { status: 'needs-auth', error };
      if (!worthRetry || number >= maxAttempts) return { status: 'failed', error };
      const delay = backoffDelay(Math.max(0, number - 1), {
        initialMs: reconnect.delayMs,
        maxMs: MAX_DELAY_MS,
        random: shared.random,
      });
      become({ status: 'pending', attempt: number + 1, maxAttempts, retryAt: clock.now() + delay, error });
      await sleep(delay, { clock, signal }).catch(() => undefined);
    }
    return undefined;
  };

  const retire = (connection: Connection, { controller }: Run): void => {
    const close = async (): Promise<void> => {
      controller.abort(stoppedError(server));
      await connection.session.close().catch(() => undefined);
      retiring.delete(connection);
    };
    retiring.set(connection, close);
    void Promise.race([deps.settled(connection), connection.ended]).then(close);
  };

  const closeRetiring = async (): Promise<void> => {
    await Promise.all(Array.from(retiring.values(), (close) => close()));
  };

  const begin = (): void => {
    const previous = run?.done;
    const controller = new AbortController();
    const started: Run = { controller, done: Promise.resolve() };
    run = started;
    become({ status: 'pending', attempt: 1, maxAttempts });
    started.done = (async () => {
      await previous;
      const final = await loop(controller.signal);
      if (run === started) run = undefined;
      if (final !== undefined) become(final);
    })();
  };

  const end = async (into: ConnectionState): Promise<void> => {
    const ending = run;
    if (ending !== undefined) {
      if (!ending.controller.signal.aborted) {
        become({
          status: 'disconnecting',
          ...(into.status === 'disconnected' && { reason: into.reason }),
        });
        ending.controller.abort(
          new FittingsError('TRANSPORT_CLOSED', `"${server}" was stopped.`, { server }),
        );
      }
      await ending.done;
    }
    // Somebody may have started it again meanwhile: the later wish wins.
    if (run !== undefined) return;
    const last: ConnectionState = disabled ? { status: 'disabled' } : into;
    if (state.status !== last.status || last.status !== 'disabled') become(last);
  };

  const stop = async (reason: DisconnectReason): Promise<void> => {
    const closing = closeRetiring();
    if (run !== undefined || state.status !== 'disconnected') await end({ status: 'disconnected', reason });
    await closing;
  };

  return {
    get state() {
      return state;
    },
    get connection() {
      return current;
    },
    async start(signal) {
      if (disposed) throw stoppedError(server);
      if (current !== undefined) return current;
      if (disabled) throw disabledError(server);
      if (run === undefined || run.controller.signal.aborted) begin();
      const decided = await when(() => current ?? decisionOf(state, server), signal);
      if (decided instanceof FittingsError) throw decided;
      return decided;
    },
    stop,
    async dispose() {
      disposed = true;
      await stop('stopped');
    },
    firstOutcome: () =>
      when(() => {
        const { status } = state;
        const waits = status === 'connecting' || status === 'disconnecting';
        return waits || (status === 'pending' && state.error === undefined) ? undefined : null;
      }).then(() => undefined),
    noteProgress() {
      progressed = true;
    },
    giveUp(connection, reason) {
      if (connection === current) giveUpCurrent?.(reason);
    },
    requireAuth(connection, error) {
      if (connection !== current || run === undefined) return;
      retire(connection, run);
      giveUpCurrent?.(error);
    },
    async disable() {
      disabled = true;
      await Promise.all([closeRetiring(), end({ status: 'disabled' })]);
    },
    enable() {
      disabled = false;
      if (state.status === 'disabled') become({ status: 'disconnected', reason: 'not started' });
    },
  };
}

/** A VPN, a wake-up, a deployment: none of them is a mistake in the entry, or of the user. */
function mayPass({ kind }: FittingsError): boolean {
  return kind !== 'config' && kind !== 'auth';
}

/** Why a server in this state is not going to be connected; undefined while it still may. */
function decisionOf(state: ConnectionState, server: string): FittingsError | undefined {
  switch (state.status) {
    case 'failed':
    case 'needs-auth':
      return state.error;
    case 'disabled':
      return disabledError(server);
    case 'disconnected':
      return new FittingsError('TRANSPORT_CLOSED', `"${server}" was stopped.`, {
        server,
        delivery: 'not-sent',
      });
    default:
      return undefined;
  }
}

function stoppedError(server: string): FittingsError {
  return new FittingsError('TRANSPORT_CLOSED', `"${server}" was stopped.`, { server, delivery: 'not-sent' });
}

function disabledError(server: string): FittingsError {
  return new FittingsError('SERVER_DISABLED', `The server "${server}" is disabled.`, {
    server,
    delivery: 'not-sent',
    hint: 'Enable it in its configuration, or with host.enable().',
  });
}

function lost(server: string): FittingsError {
  return new FittingsError('CONNECTION_LOST', `The connection to "${server}" ended.`, { server });
}

function toFittingsError(server: string, cause: unknown): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return new FittingsError('CONNECT_FAILED', `"${server}" could not be connected: ${text}`, {
    server,
    cause,
  });
}

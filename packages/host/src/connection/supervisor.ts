import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/toolbox/timing';
import type { ConnectPhase, ConnectionState, DisconnectReason } from '../contracts/state.js';
import type { ServerDeps } from '../setup/server-deps.js';
import type { Connection } from './connect-once.js';

export interface SupervisorDeps {
  /** Makes a connection that is ready for use. Has closed everything before it rejects. */
  readonly connect: (
    signal: AbortSignal,
    attempt: number,
    phase: (phase: ConnectPhase) => void,
  ) => Promise<Connection>;
  /** Resolves when no call is open on this connection. */
  readonly settled: (connection: Connection) => Promise<void>;
  readonly onState: (state: ConnectionState, previous: ConnectionState) => void;
}

/** Longest delay between attempts, in milliseconds. */
const MAX_DELAY_MS = 30_000;
/** Longest time that an attempt keeps its slot, in milliseconds: slots bound starting servers, not waiting for them. */
const SLOT_MS = 500;
/** A connection that lasted this long, in milliseconds, or answered a call, restores the number of attempts. */
const STABLE_MS = 30_000;

/**
 * Connects one server and reconnects it. It is one loop, so there are never two open transports. Attempts back off, and their
 * number is limited until a connection has made progress. Nothing happens after it was stopped.
 */
export interface Supervisor {
  readonly state: ConnectionState;
  readonly connection: Connection | undefined;
  /** Connects, unless an attempt is under way. Resolves when connected; rejects with why there will be no connection. */
  start(signal?: AbortSignal): Promise<Connection>;
  /**
   * Connects for a call. A server that has failed is tried once more, unless its entry is invalid or never reconnects, and not before
   * a delay that doubles with each failure; until then, this rejects with why it failed.
   */
  reach(signal?: AbortSignal): Promise<Connection>;
  /** Disconnects. Resolves when the connection is closed. */
  stop(reason: DisconnectReason): Promise<void>;
  /** Resolves at the first outcome of the current attempt, also if it failed and will be repeated. */
  firstOutcome(): Promise<void>;
  /** Resolves when no attempt is under way or planned. Rejects with `ABORTED` if the signal is aborted before. */
  settled(signal?: AbortSignal): Promise<void>;
  /** Call it when a call has succeeded: the connection restores the number of attempts. */
  noteProgress(): void;
  /** Closes the connection for this reason and connects again. */
  giveUp(connection: Connection, reason: FittingsError): void;
  /**
   * Ends in `needs-auth`, if this is the current connection. The connection is closed when its open calls have settled,
   * because the refusal of one call does not concern the others.
   */
  requireAuth(connection: Connection, error: AuthRequiredError): void;
  /** Disconnects for good. */
  dispose(): Promise<void>;
  /** Disconnects and stays `disabled` until {@link enable}. */
  disable(): Promise<void>;
  enable(): void;
}

interface Run {
  readonly controller: AbortController;
  done: Promise<void>;
}

export function createSupervisor(
  shared: Pick<ServerDeps, 'server' | 'clock' | 'random' | 'settings' | 'acquireConnectSlot'>,
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
  /** Whether it was connected before, so that a failure may be temporary. */
  let hasWorked = false;
  /** Attempts for calls that failed since the server did, and when another one is made. */
  let failedRevivals = 0;
  let reviveAt = 0;
  let giveUpCurrent: ((reason: FittingsError) => void) | undefined;
  let disposed = false;
  let disabled = isDisabled;
  const watchers = new Set<() => void>();
  /** Connections that take no new calls and wait for open ones, each with the function that closes it at once. */
  const retiring = new Map<Connection, () => Promise<void>>();

  const become = (next: ConnectionState): void => {
    const previous = state;
    state = next;
    deps.onState(next, previous);
    for (const watcher of watchers) watcher();
  };

  /** Resolves with the first value other than `undefined` that `look` returns, now or in a later state. */
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
          new FittingsError('ABORTED', `The caller aborted waiting for the server "${server}".`, {
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
    const releaseSlot = await shared.acquireConnectSlot(signal);
    const slotTimer = clock.schedule(releaseSlot, SLOT_MS);
    try {
      const phase = (name: ConnectPhase): void =>
        become({ status: 'connecting', attempt: number, maxAttempts, phase: name });
      return await deps.connect(signal, number, phase);
    } finally {
      slotTimer[Symbol.dispose]();
      releaseSlot();
    }
  };

  /** Resolves when the connection has ended or was given up, with the reason unless it was stopped. */
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

  const delayAfter = (failures: number): number =>
    backoffDelay(failures, { initialMs: reconnect.delayMs, maxMs: MAX_DELAY_MS, random: shared.random });

  /** Connects and reconnects. Resolves with the state in which it gave up, or `undefined` if it was stopped. */
  const loop = async (first: number, signal: AbortSignal): Promise<ConnectionState | undefined> => {
    for (let number = first; !signal.aborted; number++) {
      let error: FittingsError;
      let worthRetry: boolean;
      try {
        const connection = await attempt(number, signal);
        hasWorked = true;
        failedRevivals = 0;
        error = (await hold(connection, signal)) ?? lost(server);
        // It worked before, so the cause may be temporary, unless the entry is invalid.
        worthRetry = error.kind !== 'config';
        if (progressed) number = 0;
      } catch (cause) {
        error = toFittingsError(server, cause);
        worthRetry = error.retryable || (hasWorked && mayPass(error));
      }
      if (signal.aborted) break;
      if (error instanceof AuthRequiredError) return { status: 'needs-auth', error };
      if (!worthRetry || number >= maxAttempts) {
        reviveAt = clock.now() + delayAfter(failedRevivals++);
        return { status: 'failed', error };
      }
      const delay = delayAfter(Math.max(0, number - 1));
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

  /** @param first Number of the first attempt; the last one has the number `maxAttempts`. */
  const begin = (first: number): void => {
    const previous = run?.done;
    const controller = new AbortController();
    const started: Run = { controller, done: Promise.resolve() };
    run = started;
    become({ status: 'pending', attempt: first, maxAttempts });
    started.done = (async () => {
      await previous;
      const final = await loop(first, controller.signal);
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
          new FittingsError('TRANSPORT_CLOSED', `The server "${server}" was stopped.`, { server }),
        );
      }
      await ending.done;
    }
    // If it was started again meanwhile, the later call wins.
    if (run !== undefined) return;
    const last: ConnectionState = disabled ? { status: 'disabled' } : into;
    if (state.status !== last.status || last.status !== 'disabled') become(last);
  };

  const stop = async (reason: DisconnectReason): Promise<void> => {
    const closing = closeRetiring();
    if (run !== undefined || state.status !== 'disconnected') await end({ status: 'disconnected', reason });
    await closing;
  };

  const start = async (first: number, signal: AbortSignal | undefined): Promise<Connection> => {
    if (disposed) throw stoppedError(server);
    if (current !== undefined) return current;
    if (disabled) throw disabledError(server);
    if (run === undefined || run.controller.signal.aborted) begin(first);
    const decided = await when(() => current ?? decisionOf(state, server), signal);
    if (decided instanceof FittingsError) throw decided;
    return decided;
  };

  return {
    get state() {
      return state;
    },
    get connection() {
      return current;
    },
    start: (signal) => start(1, signal),
    reach(signal) {
      if (state.status !== 'failed') return start(1, signal);
      const { error } = state;
      if (maxAttempts === 1 || !mayPass(error) || clock.now() < reviveAt) return Promise.reject(error);
      return start(maxAttempts, signal);
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
    settled: (signal) =>
      when(() => {
        const { status } = state;
        return status === 'connecting' || status === 'disconnecting' || status === 'pending'
          ? undefined
          : null;
      }, signal).then(() => undefined),
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

/** A VPN, a wake-up or a deployment may end by itself; an invalid entry or a missing sign-in does not. */
function mayPass({ kind }: FittingsError): boolean {
  return kind !== 'config' && kind !== 'auth';
}

/** Returns why a server in this state will not be connected; `undefined` while it still may. */
function decisionOf(state: ConnectionState, server: string): FittingsError | undefined {
  switch (state.status) {
    case 'failed':
    case 'needs-auth':
      return state.error;
    case 'disabled':
      return disabledError(server);
    case 'disconnected':
      return new FittingsError('TRANSPORT_CLOSED', `The server "${server}" was stopped.`, {
        server,
        delivery: 'not-sent',
      });
    default:
      return undefined;
  }
}

function stoppedError(server: string): FittingsError {
  return new FittingsError('TRANSPORT_CLOSED', `The server "${server}" was stopped.`, {
    server,
    delivery: 'not-sent',
  });
}

function disabledError(server: string): FittingsError {
  return new FittingsError('SERVER_DISABLED', `The server "${server}" is disabled.`, {
    server,
    delivery: 'not-sent',
    hint: 'Enable it in its configuration, or with host.enable().',
  });
}

function lost(server: string): FittingsError {
  return new FittingsError('CONNECTION_LOST', `The connection to the server "${server}" was lost.`, {
    server,
  });
}

function toFittingsError(server: string, cause: unknown): FittingsError {
  if (cause instanceof FittingsError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return new FittingsError('CONNECT_FAILED', `Could not connect to the server "${server}": ${text}`, {
    server,
    cause,
  });
}

import { AuthRequiredError, FittingsError } from '@mcp-fittings/client-core';
import { abortable, backoffDelay, sleep } from '@mcp-fittings/toolbox/timing';
import type { ConnectPhase, ConnectionState, DisconnectReason } from '../contracts/state.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { asFittingsError } from '../engine/request-errors.js';
import type { Connection } from './connect-once.js';

type Shared = Pick<ServerDeps, 'server' | 'clock' | 'random' | 'settings' | 'acquireConnectSlot'>;

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

/** States while an attempt is under way or planned. */
const UNDECIDED: ReadonlySet<ConnectionState['status']> = new Set(['connecting', 'disconnecting', 'pending']);

interface Run {
  readonly controller: AbortController;
  done: Promise<void>;
}

/**
 * Connects one server and reconnects it. It is one loop, so there are never two open transports. Attempts back off, and their
 * number is limited until a connection has made progress. Nothing happens after it was stopped.
 */
export class Supervisor {
  readonly #shared: Shared;
  readonly #deps: SupervisorDeps;
  readonly #maxAttempts: number;
  readonly #watchers = new Set<() => void>();
  /** Connections that take no new calls and wait for open ones, each with the function that closes it at once. */
  readonly #retiring = new Map<Connection, () => Promise<void>>();
  #state: ConnectionState;
  #run: Run | undefined;
  #connection: Connection | undefined;
  #giveUpConnection: ((reason: FittingsError) => void) | undefined;
  #hasProgressed = false;
  /** True if it was connected before, so that a failure may be temporary. */
  #hasWorked = false;
  /** Attempts for calls that failed since the server did, and when another one is made. */
  #failedRevivals = 0;
  #reviveAt = 0;
  #isDisposed = false;
  #isDisabled: boolean;

  constructor(shared: Shared, deps: SupervisorDeps) {
    const { disabled, reconnect } = shared.settings;
    this.#shared = shared;
    this.#deps = deps;
    this.#maxAttempts = reconnect.maxAttempts + 1;
    this.#isDisabled = disabled;
    this.#state = disabled ? { status: 'disabled' } : { status: 'disconnected', reason: 'not started' };
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** True from {@link disable} on, until {@link enable}. */
  get isDisabled(): boolean {
    return this.#isDisabled;
  }

  /** True from the end of a {@link stop} for the reason `stopped` on, until it is started. */
  get isStopped(): boolean {
    return this.#state.status === 'disconnected' && this.#state.reason === 'stopped';
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Connects, unless an attempt is under way. Resolves when connected; rejects with why there will be no connection. */
  start(signal?: AbortSignal): Promise<Connection> {
    return this.#start(signal);
  }

  /**
   * Connects for a call. A server that has failed is tried once more, unless its entry or its credentials are invalid or it never
   * reconnects, and not before a delay that doubles with each failure; until then, this rejects with why it failed.
   */
  reach(signal?: AbortSignal): Promise<Connection> {
    if (this.#state.status !== 'failed') return this.#start(signal);
    const { error } = this.#state;
    const isFinal = !mayPass(error) && !MAY_BE_GRANTED.has(error.code);
    if (this.#maxAttempts === 1 || isFinal || this.#shared.clock.now() < this.#reviveAt)
      return Promise.reject(error);
    return this.#start(signal, this.#maxAttempts);
  }

  /** Disconnects. Resolves when the connection is closed. */
  async stop(reason: DisconnectReason): Promise<void> {
    const closing = this.#closeRetiring();
    // Also if it is idle or was never started: a call must not start it.
    if (this.#run !== undefined || !this.isStopped) await this.#end(reason);
    await closing;
  }

  /** Disconnects for good. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.stop('stopped');
  }

  /** Disconnects and stays `disabled` until {@link enable}. */
  async disable(): Promise<void> {
    this.#isDisabled = true;
    await Promise.all([this.#closeRetiring(), this.#end()]);
  }

  enable(): void {
    this.#isDisabled = false;
    if (this.#state.status === 'disabled') this.#become({ status: 'disconnected', reason: 'not started' });
  }

  /** Resolves at the first outcome of the current attempt, also if it failed and will be repeated. */
  async firstOutcome(): Promise<void> {
    await this.#when(() => {
      const hasFailed = this.#state.status === 'pending' && this.#state.error !== undefined;
      return hasFailed || !UNDECIDED.has(this.#state.status) || undefined;
    });
  }

  /** Resolves when no attempt is under way or planned. Rejects with `ABORTED` if the signal is aborted before. */
  async settled(signal?: AbortSignal): Promise<void> {
    await this.#when(() => !UNDECIDED.has(this.#state.status) || undefined, signal);
  }

  /** Call it when a call has succeeded: the connection restores the number of attempts. */
  noteProgress(): void {
    this.#hasProgressed = true;
  }

  /** Closes the connection for this reason and connects again. */
  giveUp(connection: Connection, reason: FittingsError): void {
    if (connection === this.#connection) this.#giveUpConnection?.(reason);
  }

  /**
   * Ends in `needs-auth`, if this is the current connection. The connection is closed when its open calls have settled,
   * because the refusal of one call does not concern the others.
   */
  requireAuth(connection: Connection, error: AuthRequiredError): void {
    if (connection !== this.#connection || this.#run === undefined) return;
    this.#retire(connection, this.#run);
    this.#giveUpConnection?.(error);
  }

  async #start(signal: AbortSignal | undefined, first = 1): Promise<Connection> {
    const { server } = this.#shared;
    if (this.#isDisposed) throw stoppedError(server);
    if (this.#connection !== undefined) return this.#connection;
    if (this.#isDisabled) throw disabledError(server);
    if (this.#run === undefined || this.#run.controller.signal.aborted) this.#begin(first);
    const decided = await this.#when(() => this.#connection ?? decisionOf(this.#state, server), signal);
    if (decided instanceof FittingsError) throw decided;
    return decided;
  }

  /** @param first Number of the first attempt; the last one has the number `maxAttempts`. */
  #begin(first: number): void {
    const previous = this.#run?.done;
    const controller = new AbortController();
    const started: Run = { controller, done: Promise.resolve() };
    this.#run = started;
    this.#become({ status: 'pending', attempt: first, maxAttempts: this.#maxAttempts });
    started.done = (async () => {
      await previous;
      const final = await this.#loop(first, controller.signal);
      if (this.#run === started) this.#run = undefined;
      if (final !== undefined) this.#become(final);
    })();
  }

  /** Connects and reconnects. Resolves with the state in which it gave up, or `undefined` if it was stopped. */
  async #loop(first: number, signal: AbortSignal): Promise<ConnectionState | undefined> {
    const { server, clock } = this.#shared;
    const maxAttempts = this.#maxAttempts;
    for (let number = first; !signal.aborted; number++) {
      let error: FittingsError;
      let worthRetry: boolean;
      try {
        const connection = await this.#attempt(number, signal);
        this.#hasWorked = true;
        this.#failedRevivals = 0;
        error = (await this.#hold(connection, signal)) ?? lost(server);
        // It worked before, so the cause may be temporary, unless the entry is invalid.
        worthRetry = error.kind !== 'config';
        if (this.#hasProgressed) number = 0;
      } catch (cause) {
        error = asFittingsError(server, cause, 'CONNECT_FAILED');
        worthRetry = error.retryable || (this.#hasWorked && mayPass(error));
      }
      if (signal.aborted) break;
      if (error instanceof AuthRequiredError) return { status: 'needs-auth', error };
      if (!worthRetry || number >= maxAttempts) {
        this.#reviveAt = clock.now() + this.#delayAfter(this.#failedRevivals++);
        return { status: 'failed', error };
      }
      const delay = this.#delayAfter(Math.max(0, number - 1));
      const retryAt = clock.now() + delay;
      this.#become({ status: 'pending', attempt: number + 1, maxAttempts, retryAt, error });
      await sleep(delay, { clock, signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #attempt(number: number, signal: AbortSignal): Promise<Connection> {
    const releaseSlot = await this.#shared.acquireConnectSlot(signal);
    const slotTimer = this.#shared.clock.schedule(releaseSlot, SLOT_MS);
    try {
      const phase = (name: ConnectPhase): void =>
        this.#become({
          status: 'connecting',
          attempt: number,
          maxAttempts: this.#maxAttempts,
          phase: name,
        });
      return await this.#deps.connect(signal, number, phase);
    } finally {
      slotTimer[Symbol.dispose]();
      releaseSlot();
    }
  }

  /** Resolves when the connection has ended or was given up, with the reason unless it was stopped. */
  async #hold(connection: Connection, signal: AbortSignal): Promise<FittingsError | undefined> {
    const { server, clock } = this.#shared;
    const { session, ended } = connection;
    this.#connection = connection;
    this.#hasProgressed = false;
    const since = clock.now();
    const { protocolVersion, serverInfo, instructions, capabilities } = session;
    this.#become({
      status: 'connected',
      since,
      connection: { protocolVersion, serverInfo, instructions, capabilities },
    });
    const stopped = new AbortController();
    const reason = await new Promise<FittingsError | undefined>((resolve) => {
      this.#giveUpConnection = resolve;
      if (signal.aborted) return resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: stopped.signal });
      void ended.then((why) => resolve(why ?? lost(server)));
    });
    stopped.abort();
    this.#connection = undefined;
    this.#giveUpConnection = undefined;
    if (!this.#retiring.has(connection)) await session.close().catch(() => undefined);
    if (clock.now() - since >= STABLE_MS) this.#hasProgressed = true;
    return reason;
  }

  #delayAfter(failures: number): number {
    const { settings, random } = this.#shared;
    return backoffDelay(failures, { initialMs: settings.reconnect.delayMs, maxMs: MAX_DELAY_MS, random });
  }

  async #end(reason?: DisconnectReason): Promise<void> {
    const ending = this.#run;
    if (ending !== undefined) {
      if (!ending.controller.signal.aborted) {
        this.#become({ status: 'disconnecting', ...(reason !== undefined && { reason }) });
        ending.controller.abort(stoppedError(this.#shared.server));
      }
      await ending.done;
    }
    // If it was started again meanwhile, the later call wins.
    if (this.#run !== undefined) return;
    const last: ConnectionState = this.#isDisabled
      ? { status: 'disabled' }
      : { status: 'disconnected', reason: reason ?? 'not started' };
    if (this.#state.status !== last.status || last.status !== 'disabled') this.#become(last);
  }

  #retire(connection: Connection, { controller }: Run): void {
    const close = async (): Promise<void> => {
      controller.abort(stoppedError(this.#shared.server));
      await connection.session.close().catch(() => undefined);
      this.#retiring.delete(connection);
    };
    this.#retiring.set(connection, close);
    void Promise.race([this.#deps.settled(connection), connection.ended]).then(close);
  }

  async #closeRetiring(): Promise<void> {
    await Promise.all(Array.from(this.#retiring.values(), (close) => close()));
  }

  #become(next: ConnectionState): void {
    const previous = this.#state;
    this.#state = next;
    this.#deps.onState(next, previous);
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves with the first value other than `undefined` that `look` returns, now or in a later state. */
  async #when<T>(look: () => T | undefined, signal?: AbortSignal): Promise<T> {
    const { server } = this.#shared;
    let check = (): void => undefined;
    const found = new Promise<T>((resolve) => {
      check = () => {
        const value = look();
        if (value !== undefined) resolve(value);
      };
    });
    this.#watchers.add(check);
    check();
    try {
      return await abortable(found, signal, () => {
        const text = `The caller aborted waiting for the server "${server}".`;
        return new FittingsError('ABORTED', text, { server, cause: signal?.reason, delivery: 'not-sent' });
      });
    } finally {
      this.#watchers.delete(check);
    }
  }
}

/** A VPN, a wake-up or a deployment may end by itself; an invalid entry or a missing sign-in does not. */
function mayPass({ kind }: FittingsError): boolean {
  return kind !== 'config' && kind !== 'auth';
}

/** Refusals of an authorization server, which may grant it by now. Refused credentials and a locked store are not tried again: that locks accounts. */
const MAY_BE_GRANTED: ReadonlySet<string> = new Set([
  'AUTH_EXCHANGE_FAILED',
  'AUTH_SCOPE_INSUFFICIENT',
  'AUTH_FAILED',
  'AUTH_DISCOVERY_FAILED',
]);

/** Returns why a server in this state will not be connected; `undefined` while it still may. */
function decisionOf(state: ConnectionState, server: string): FittingsError | undefined {
  if (state.status === 'failed' || state.status === 'needs-auth') return state.error;
  if (state.status === 'disabled') return disabledError(server);
  return state.status === 'disconnected' ? stoppedError(server) : undefined;
}

export function stoppedError(server: string): FittingsError {
  return new FittingsError('TRANSPORT_CLOSED', `The server "${server}" was stopped.`, {
    server,
    delivery: 'not-sent',
  });
}

export function disabledError(server: string): FittingsError {
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

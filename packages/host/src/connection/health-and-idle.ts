import { AuthRequiredError, type Clock } from '@mcp-fittings/client-core';
import type { EngineSession } from '../contracts/engine.js';

export interface HealthCheckOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly maxFailures: number;
  readonly onUnhealthy: (failures: number, error: unknown) => void;
}

/** Pings a server at intervals until disposed of. Calls `onUnhealthy` once, when it has missed too many pings. */
export function startHealthCheck(session: EngineSession, options: HealthCheckOptions): Disposable {
  const { clock, intervalMs, timeoutMs, maxFailures } = options;
  const stopped = new AbortController();
  let failures = 0;
  let timer: Disposable | undefined;

  const next = (): void => {
    if (!stopped.signal.aborted) timer = clock.schedule(() => void check(), intervalMs, { unref: true });
  };

  const check = async (): Promise<void> => {
    try {
      await session.ping({ timeoutMs, signal: stopped.signal });
      failures = 0;
    } catch (error) {
      if (stopped.signal.aborted) return;
      failures++;
      if (failures >= maxFailures || error instanceof AuthRequiredError)
        return options.onUnhealthy(failures, error);
    }
    next();
  };

  next();
  return {
    [Symbol.dispose]() {
      stopped.abort();
      timer?.[Symbol.dispose]();
    },
  };
}

/** Calls `onIdle` after `ms` without an open call; 0 turns it off. */
export interface IdleTimer extends Disposable {
  /** Call it when a call starts (1) or ends (-1). */
  busy(delta: 1 | -1): void;
  /** Starts the timer if no call is open. */
  arm(): void;
}

export function createIdleTimer(clock: Clock, ms: number, onIdle: () => void): IdleTimer {
  let active = 0;
  let timer: Disposable | undefined;
  const disarm = (): void => {
    timer?.[Symbol.dispose]();
    timer = undefined;
  };
  const arm = (): void => {
    disarm();
    if (ms > 0 && active === 0) timer = clock.schedule(onIdle, ms, { unref: true });
  };
  return {
    busy(delta) {
      active += delta;
      if (active === 0) arm();
      else disarm();
    },
    arm,
    [Symbol.dispose]: disarm,
  };
}

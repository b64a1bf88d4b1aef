import { AuthRequiredError, type Clock } from '@mcp-fittings/client-core';
import type { EngineSession } from '../contracts/engine.js';
import { ping } from '../engine/era.js';

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
      await ping(session, { timeoutMs, signal: stopped.signal });
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

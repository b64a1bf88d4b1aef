import { AuthRequiredError, type Clock } from '@mcp-fittings/client-core';
import type { EngineSession } from '../contracts/engine.js';

export interface HealthCheckParts {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly maxFailures: number;
  readonly onUnhealthy: (failures: number, error: unknown) => void;
}

/** Asks a server at intervals whether it still answers, until disposed of; says so once when it does not. */
export function startHealthCheck(session: EngineSession, parts: HealthCheckParts): Disposable {
  const { clock, intervalMs, timeoutMs, maxFailures } = parts;
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
        return parts.onUnhealthy(failures, error);
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

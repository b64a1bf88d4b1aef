import type { Clock } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/toolbox/timing';
import type { DriverConnection, DriverResult } from './driver-protocol.js';
import { createInvoker } from './invoke-driver.js';
import type { KeytarLike } from './keychain-driver.js';

export interface InProcessOptions {
  readonly load: () => Promise<KeytarLike>;
  /** Longest wait for one call, in milliseconds. A call that hangs cannot be ended here; the caller only stops waiting. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Calls the driver in the host's own process: for hosts that cannot start another one, and for drivers that are objects. */
export function connectInProcess({ load, timeoutMs, clock }: InProcessOptions): DriverConnection {
  let invoke = createInvoker(load);
  /** Number of calls that timed out and have not returned: each may block a thread that Node needs for file access. */
  let hanging = 0;

  return {
    async call(call) {
      if (hanging > 0) {
        return timeout('The keychain has not replied to an earlier call yet.');
      }
      const result = invoke(call);
      if (await settlesWithin(timeoutMs, result, clock)) return result;
      hanging++;
      void result.then(() => hanging--);
      return timeout(`The keychain did not reply within ${timeoutMs} ms.`);
    },
    async [Symbol.asyncDispose]() {
      invoke = createInvoker(load);
    },
  };
}

function timeout(message: string): DriverResult {
  return { ok: false, failure: { kind: 'timeout', message } };
}

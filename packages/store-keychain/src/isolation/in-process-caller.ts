import type { Clock } from '@mcp-fittings/client-core';
import { settlesWithin } from '@mcp-fittings/client-core/timing';
import type { KeytarLike } from '../drivers/keytar-like.js';
import { carryOut, failureOf } from './carry-out.js';
import type { Call, Caller, Outcome } from './protocol.js';

export interface InProcessOptions {
  readonly load: () => Promise<KeytarLike>;
  /** One call may take so long, milliseconds. What hangs can't be ended here, only no longer be waited for. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Carries calls out in the host's own process: for hosts that can't start another, and for drivers that are objects. */
export function createInProcessCaller(options: InProcessOptions): Caller {
  const { load, timeoutMs, clock } = options;
  let driver: Promise<KeytarLike> | undefined;
  /** Calls that were given up and have not come back: each may hold a thread that all of Node's file access needs. */
  let hanging = 0;

  const attempt = async (call: Call): Promise<Outcome> => {
    let loaded: KeytarLike;
    try {
      loaded = await (driver ??= load());
    } catch (error) {
      driver = undefined;
      return { ok: false, failure: failureOf('load', error) };
    }
    return carryOut(loaded, call);
  };

  return {
    async call(call) {
      if (hanging > 0) {
        return timeout('The keychain has not answered an earlier call yet');
      }
      const outcome = attempt(call);
      if (await settlesWithin(timeoutMs, outcome, clock)) return outcome;
      hanging++;
      void outcome.then(() => hanging--);
      return timeout(`The keychain did not answer within ${timeoutMs} ms`);
    },
    async [Symbol.asyncDispose]() {
      driver = undefined;
    },
  };
}

function timeout(message: string): Outcome {
  return { ok: false, failure: { kind: 'timeout', message } };
}

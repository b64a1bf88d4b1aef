import { isRecent, type Clock } from '@mcp-fittings/client-core/auth';
import type { Caller, Outcome } from './protocol.js';

/**
 * Does not ask a keychain that has just let a call wait in vain, for as long again: of the many who want their
 * credentials at the start of a program only the first one waits.
 */
export function notAskingTwice(caller: Caller, timeoutMs: number, clock: Clock): Caller {
  let silent: { readonly outcome: Outcome; readonly at: number } | undefined;
  return {
    ...caller,
    async call(call) {
      if (silent !== undefined && isRecent(silent.at, timeoutMs, clock.now())) return silent.outcome;
      const outcome = await caller.call(call);
      const late = !outcome.ok && outcome.failure.kind === 'timeout';
      silent = late ? { outcome, at: clock.now() } : undefined;
      return outcome;
    },
  };
}

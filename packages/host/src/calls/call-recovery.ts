import { FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/toolbox/timing';
import type { ServerDeps } from '../setup/server-deps.js';
import { requiresPage } from './url-elicitations.js';

/** Most times that a call reaches the server. */
const MAX_SENDS = 3;
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

export interface CallRecoveryOptions {
  /** Whether carrying the call out twice is harmless. */
  readonly repeatable: boolean;
  /** Time after which no attempt starts, by the host's clock. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
}

export interface CallRecoveryDeps {
  /** Returns whether the delivery policy and the state of the server allow a retry. */
  readonly mayRetry: () => boolean;
  /** Asks the user to visit the pages that a refused call names. Resolves with whether the call is worth retrying. */
  readonly visitPages: (refusal: unknown, signal: AbortSignal | undefined) => Promise<boolean>;
}

/** Decides whether and when a failed call is sent again. */
export interface CallRecovery {
  /** Resolves when the call is to be sent again; rejects with the failure if it is not. */
  recover(failure: unknown): Promise<void>;
}

/**
 * A call is sent again after the user has visited a page for it, and otherwise only if it certainly was not carried out, or if
 * carrying it out twice is harmless. Delays increase, and are never shorter than the server's `Retry-After`. Sending a call that
 * never left this machine is bounded by time alone, so that it survives a restart of the server.
 */
export function createCallRecovery(
  { clock, random }: Pick<ServerDeps, 'clock' | 'random'>,
  { mayRetry, visitPages }: CallRecoveryDeps,
  { repeatable, end, signal }: CallRecoveryOptions,
): CallRecovery {
  let attempts = 0;
  let reached = 0;
  /** Whether the last attempt followed a visit. */
  let hasVisited = false;

  /** Returns the delay before the call is sent again, in milliseconds; `undefined` if it is not. */
  const delayAfter = (failure: unknown): number | undefined => {
    if (!(failure instanceof FittingsError) || !failure.retryable) return undefined;
    const { delivery, details } = failure;
    if (delivery !== 'not-sent' && delivery !== 'rejected' && !repeatable) return undefined;
    if (delivery !== 'not-sent' && ++reached >= MAX_SENDS) return undefined;
    const asked = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : 0;
    const own = backoffDelay(attempts++, { initialMs: FIRST_MS, maxMs: LONGEST_MS, random });
    const ms = Math.max(own, asked);
    return clock.now() + ms > end ? undefined : ms;
  };

  return {
    async recover(failure) {
      if (hasVisited && requiresPage(failure)) throw notFinished(failure);
      if (!hasVisited && (await visitPages(failure, signal))) {
        hasVisited = true;
        return;
      }
      hasVisited = false;
      const ms = mayRetry() ? delayAfter(failure) : undefined;
      if (ms === undefined) throw failure;
      try {
        await sleep(ms, { clock, signal });
      } catch {
        // The caller aborted the call. The failure says more than that.
        throw failure;
      }
    },
  };
}

/** The user has agreed to visit the page, but the server does not wait for what the user does there. */
function notFinished(failure: FittingsError): FittingsError {
  const { code, message, server, kind, retryable, details, delivery, cause } = failure;
  const hint = 'The user has agreed to open the page. Call the tool again when the user is done there.';
  return new FittingsError(code, message, { server, kind, retryable, details, delivery, cause, hint });
}

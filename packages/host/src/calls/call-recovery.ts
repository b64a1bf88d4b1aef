import { FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/client-core/timing';
import type { ServerDeps } from '../setup/server-deps.js';

/** How often a call reaches the server at the most. */
const MAX_SENDS = 3;
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

export interface CallRecoveryOptions {
  /** To carry the call out twice does no harm. */
  readonly repeatable: boolean;
  /** No attempt begins later, by the host's clock. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
}

export interface CallRecoveryDeps {
  /** Whether failures are waited for under the delivery policy, now that the server is in this state. */
  readonly mayRetry: () => boolean;
  /** Leads the person through the pages that a refused call names; true when it is worth sending again. */
  readonly visitPages: (refusal: unknown, signal: AbortSignal | undefined) => Promise<boolean>;
}

/** What a call that has failed needs to get through after all. */
export interface CallRecovery {
  /** Resolves when it is time to send the call again; rejects with the failure when it is not to be sent again. */
  recover(failure: unknown): Promise<void>;
}

/**
 * Sends again what a person has visited a page for, and otherwise only what certainly was not carried out, or does no harm
 * when it is carried out twice; each time later, and never before the time that the server asked for. What never left this
 * machine is bounded by time alone, so that it outlives a restart of the server.
 */
export function createCallRecovery(
  { clock, random }: Pick<ServerDeps, 'clock' | 'random'>,
  { mayRetry, visitPages }: CallRecoveryDeps,
  { repeatable, end, signal }: CallRecoveryOptions,
): CallRecovery {
  let attempts = 0;
  let reached = 0;
  /** This sending follows upon visited pages. */
  let hasVisited = false;

  /** Milliseconds to wait before the call is sent again; undefined when it is not. */
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
        // The caller gave up: why the call failed says more.
        throw failure;
      }
    },
  };
}

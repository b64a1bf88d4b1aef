import type { Clock } from '@mcp-fittings/client-core';
import type { AccessDecision } from '../contracts/access.js';

/** A decision that admits a caller. */
export type Admitted = Exclude<AccessDecision, { readonly refusal: Response }>;

/** Options of {@link watchAccess}. */
export interface WatchAccessOptions {
  readonly clock: Clock;
  /** Called when the stream has to end. */
  readonly onEnd: () => void;
}

/** Milliseconds until the access is asked again, if it does not say how long its decision holds. */
const ASK_AGAIN_MS = 30_000;
/** Timers of Node.js are not longer than 24 days. */
const LONGEST_TIMER_MS = 86_400_000;

/**
 * Ends an event stream when its caller is no longer admitted: the token has expired, the person has left. The access is asked when its
 * decision expires, and not before, because a proof of DPoP is good for one request.
 */
export function watchAccess(
  first: Admitted,
  ask: () => Promise<AccessDecision>,
  { clock, onEnd }: WatchAccessOptions,
): Disposable {
  const { id, principal } = first.caller;
  let timer: Disposable | undefined;
  let isStopped = false;

  const check = async (): Promise<void> => {
    const decision = await ask().catch(() => undefined);
    if (isStopped) return;
    if (decision === undefined || 'refusal' in decision) return onEnd();
    const { caller, expiresAt = Infinity } = decision;
    if (caller.id !== id || caller.principal !== principal || expiresAt <= clock.now()) return onEnd();
    waitFor(decision);
  };
  const waitFor = ({ expiresAt = clock.now() + ASK_AGAIN_MS }: Admitted): void => {
    const leftMs = expiresAt - clock.now();
    timer = clock.schedule(
      () => (leftMs > LONGEST_TIMER_MS ? waitFor({ ...first, expiresAt }) : void check()),
      Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS),
      { unref: true },
    );
  };
  waitFor(first);
  return {
    [Symbol.dispose]() {
      isStopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}

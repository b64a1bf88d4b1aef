import { FittingsError } from '@mcp-fittings/client-core';
import { backoffDelay, sleep } from '@mcp-fittings/toolbox/timing';
import type { CallInFlight } from '../contracts/server-requests.js';
import type { ServerDeps } from '../setup/server-deps.js';
import { requiresPage, type UrlElicitations } from './url-elicitations.js';

/** Most times that a call reaches the server. */
const MAX_SENDS = 3;
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

export interface CallRecoveryOptions {
  readonly call: CallInFlight;
  /** Time after which no attempt starts, by the host's clock. */
  readonly end: number;
  readonly signal: AbortSignal | undefined;
  /** Returns whether carrying the call out twice is harmless. */
  readonly mayRepeat: () => boolean;
  /** Returns whether the delivery policy and the state of the server allow a retry. */
  readonly mayRetry: () => boolean;
  readonly urlElicitations: UrlElicitations;
}

/**
 * Decides whether and when a failed call is sent again: after the user has visited a page for it, and otherwise only if it certainly was
 * not carried out, or if carrying it out twice is harmless. Delays increase, and are never shorter than the server's `Retry-After`.
 * Sending a call that never left this machine is bounded by time alone, so that it survives a restart of the server.
 */
export class CallRecovery {
  readonly #shared: Pick<ServerDeps, 'clock' | 'random'>;
  readonly #options: CallRecoveryOptions;
  #attempts = 0;
  #reached = 0;
  /** True if the last attempt followed a visit. */
  #hasVisited = false;

  constructor(shared: Pick<ServerDeps, 'clock' | 'random'>, options: CallRecoveryOptions) {
    this.#shared = shared;
    this.#options = options;
  }

  /** Resolves when the call is to be sent again; rejects with the failure if it is not. */
  async recover(failure: unknown): Promise<void> {
    const { call, signal, mayRetry, urlElicitations } = this.#options;
    if (this.#hasVisited && requiresPage(failure)) throw notFinished(failure);
    if (!this.#hasVisited && (await urlElicitations.visitPages(failure, call, signal))) {
      this.#hasVisited = true;
      return;
    }
    this.#hasVisited = false;
    const ms = mayRetry() ? this.#delayAfter(failure) : undefined;
    if (ms === undefined) throw failure;
    try {
      await sleep(ms, { clock: this.#shared.clock, signal });
    } catch {
      // The caller aborted the call. The failure says more than that.
      throw failure;
    }
  }

  /** Returns the delay before the call is sent again, in milliseconds; `undefined` if it is not. */
  #delayAfter(failure: unknown): number | undefined {
    const { clock, random } = this.#shared;
    const { mayRepeat, end } = this.#options;
    if (!(failure instanceof FittingsError) || !failure.retryable) return undefined;
    const { delivery, details } = failure;
    if (delivery !== 'not-sent' && delivery !== 'rejected' && !mayRepeat()) return undefined;
    if (delivery !== 'not-sent' && ++this.#reached >= MAX_SENDS) return undefined;
    const asked = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : 0;
    const own = backoffDelay(this.#attempts++, { initialMs: FIRST_MS, maxMs: LONGEST_MS, random });
    const ms = Math.max(own, asked);
    return clock.now() + ms > end ? undefined : ms;
  }
}

/** The user has agreed to visit the page, but the server does not wait for what the user does there. */
function notFinished(failure: FittingsError): FittingsError {
  const { code, message, server, kind, retryable, details, delivery, cause } = failure;
  const hint = 'The user has agreed to open the page. Call the tool again when the user is done there.';
  return new FittingsError(code, message, { server, kind, retryable, details, delivery, cause, hint });
}

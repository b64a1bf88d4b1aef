import { backoffDelay, FittingsError, type Clock } from '@mcp-fittings/client-core';

/** How often a call reaches the server at the most. */
const MAX_SENDS = 3;
const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** The attempts of one call to get through. */
export interface Resends {
  /** Milliseconds to wait before the call is sent again; undefined when it is not. */
  next(failure: unknown): number | undefined;
}

export interface ResendsOptions {
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  /** No attempt begins later than so many milliseconds after the first one. */
  readonly withinMs: number;
  /** To carry the call out twice does no harm. */
  readonly repeatable: boolean;
}

/**
 * Sends again only what certainly was not carried out, or does no harm when it is carried out twice; each time later, and never
 * before the time that the server asked for. What never left this machine is bounded by time alone, so that it outlives a
 * restart of the server.
 */
export function createResends({ clock, random, withinMs, repeatable }: ResendsOptions): Resends {
  const end = clock.now() + withinMs;
  let attempts = 0;
  let reached = 0;
  return {
    next(failure) {
      if (!(failure instanceof FittingsError) || !failure.retryable) return undefined;
      const { delivery, details } = failure;
      if (delivery !== 'not-sent' && delivery !== 'rejected' && !repeatable) return undefined;
      if (delivery !== 'not-sent' && ++reached >= MAX_SENDS) return undefined;
      const asked = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : 0;
      const own = backoffDelay(attempts++, { initialMs: FIRST_MS, maxMs: LONGEST_MS, random });
      const ms = Math.max(own, asked);
      return clock.now() + ms > end ? undefined : ms;
    },
  };
}

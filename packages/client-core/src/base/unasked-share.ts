export interface UnaskedShareOptions {
  /** Part of the time that what nobody asked for may take, between 0 and 1. */
  readonly share: number;
  /** Milliseconds that may be used at once, before a peer has to wait at all. */
  readonly burstMs: number;
  /** Milliseconds of work that should be there after a wait, so that a peer does not wait for each message. */
  readonly sliceMs: number;
  /** A message that takes more milliseconds than this counts {@link LONG_FACTOR} times from there on. */
  readonly longMs: number;
}

/** Others wait for the whole of a long message: such have to be rare, or more than a few of their calls meet one. */
const LONG_FACTOR = 8;

/** A bucket of time: what a peer sent unasked fills it, and it empties by `share` of the time that passes. */
export interface UnaskedShare {
  /** So many milliseconds were used for a message, or for several small ones, until `now`. */
  spend(ms: number, now: number): void;
  /** Milliseconds from `now` on for which nothing more should be done; 0: there is room. */
  waitMs(now: number): number;
}

export function createUnaskedShare({ share, burstMs, sliceMs, longMs }: UnaskedShareOptions): UnaskedShare {
  let level = 0;
  let levelAt = 0;
  const levelNow = (now: number): number => Math.max(0, level - (now - levelAt) * share);
  return {
    spend(ms, now) {
      level = levelNow(now) + ms + Math.max(0, ms - longMs) * (LONG_FACTOR - 1);
      levelAt = now;
    },
    waitMs(now) {
      const found = levelNow(now);
      return found <= burstMs ? 0 : (found - burstMs + sliceMs) / share;
    },
  };
}

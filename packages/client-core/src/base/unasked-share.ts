export interface UnaskedShareOptions {
  /** Part of the time that what nobody asked for may take, from 0.01 to 1. */
  readonly share: number;
  /** Milliseconds that may be used at once, before a peer has to wait at all. */
  readonly burstMs: number;
  /** Milliseconds of work for which there is room after a wait, so that a peer does not wait for each message. */
  readonly sliceMs: number;
}

/** No wait is longer, so that a peer which stops to flood is heard again soon. */
const MAX_WAIT_MS = 2000;

/** A bucket of time: what a peer sends unasked fills it, and it empties by `share` of the time that passes. */
export interface UnaskedShare {
  /** So many milliseconds were used until `now`. */
  spend(ms: number, now: number): void;
  /** Milliseconds from `now` on for which nothing more should be done; 0: there is room. */
  waitMs(now: number): number;
}

export function createUnaskedShare({ share, burstMs, sliceMs }: UnaskedShareOptions): UnaskedShare {
  const most = burstMs - sliceMs + MAX_WAIT_MS * share;
  let level = 0;
  let levelAt = 0;
  const levelNow = (now: number): number => Math.max(0, level - (now - levelAt) * share);
  return {
    spend(ms, now) {
      level = Math.min(most, levelNow(now) + ms);
      levelAt = now;
    },
    waitMs(now) {
      const found = levelNow(now);
      return found <= burstMs ? 0 : (found - burstMs + sliceMs) / share;
    },
  };
}

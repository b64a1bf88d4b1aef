import { isRecent, type Clock } from '@mcp-fittings/client-core/auth';
import { createRetryPause } from '@mcp-fittings/http-client';
import { isAlive, isFresh, type GoogleToken } from './token.js';

/** Holds the one token of a server. */
export interface TokenHolder {
  readonly held: GoogleToken | undefined;
  /** A token that can be sent, renewed ahead of its end. Rejects with what {@link getToken} rejects with. */
  current(): Promise<GoogleToken>;
  /** Another token instead of a refused one, once for all that ask; undefined when there is none. */
  replace(refused: GoogleToken): Promise<GoogleToken | undefined>;
}

/** As many new tokens within a minute are refused one after the other before asking for more is no use. */
const MAX_REPLACED = 3;
const WINDOW_MS = 60_000;

export function createTokenHolder(get: () => Promise<GoogleToken>, clock: Clock): TokenHolder {
  let held: GoogleToken | undefined;
  let getting: Promise<GoogleToken> | undefined;
  let replaced: readonly number[] = [];
  const pause = createRetryPause<GoogleToken>(clock);

  const renew = (): Promise<GoogleToken> => {
    const known = pause.answer(held?.authorization);
    if (known !== undefined) return known;
    getting ??= get()
      .then(
        (token) => {
          pause.succeeded();
          held = token;
          return token;
        },
        (error: unknown) => {
          pause.failed(held?.authorization, () => Promise.reject(error));
          throw error;
        },
      )
      .finally(() => {
        getting = undefined;
      });
    return getting;
  };

  return {
    get held() {
      return held;
    },
    async current() {
      const now = clock.now();
      if (held !== undefined && isFresh(held, now)) return held;
      const old = held;
      try {
        return await renew();
      } catch (error) {
        // It may pass, and until then the old one is as good as before.
        if (old !== undefined && isAlive(old, clock.now())) return old;
        throw error;
      }
    },
    async replace(refused) {
      replaced = replaced.filter((at) => isRecent(at, WINDOW_MS, clock.now()));
      if (getting === undefined) {
        if (replaced.length >= MAX_REPLACED) return undefined;
        replaced = [...replaced, clock.now()];
      }
      const token = await renew();
      return token.authorization === refused.authorization ? undefined : token;
    },
  };
}

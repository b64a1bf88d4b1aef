import type { Clock } from '@mcp-fittings/client-core';
import { isRecent } from '@mcp-fittings/toolbox/timing';
import { FailureBackoff } from '@mcp-fittings/http-client';

/** A Google token, as it is sent to a server. */
export interface GoogleToken {
  /** Value of the `Authorization` header. */
  readonly authorization: string;
  /** Project to bill, if the credentials name one. */
  readonly quotaProject: string | undefined;
  /** When it expires, in milliseconds since the epoch; undefined if unknown. */
  readonly expiresAt: number | undefined;
  /** When it was obtained, in milliseconds since the epoch. */
  readonly obtainedAt: number;
}

/** A younger token is used even if it has expired: clocks differ, and an expired new token must not cause a loop. */
const MIN_LIFE_MS = 10_000;

function isAlive({ expiresAt, obtainedAt }: GoogleToken, now: number): boolean {
  return expiresAt === undefined || now < expiresAt || isRecent(obtainedAt, MIN_LIFE_MS, now);
}

/** Returns whether a token need not be renewed: a minute before it expires, or a tenth of a shorter lifetime. */
function isFresh({ expiresAt, obtainedAt }: GoogleToken, now: number): boolean {
  if (expiresAt === undefined || isRecent(obtainedAt, MIN_LIFE_MS, now)) return true;
  return now < expiresAt - Math.min(60_000, (expiresAt - obtainedAt) / 10);
}

/** Holds the token of one server. */
export interface TokenManager {
  readonly held: GoogleToken | undefined;
  /** Resolves with a valid token, renewed before it expires. Rejects as the request for a token does. */
  current(): Promise<GoogleToken>;
  /**
   * Resolves with a token other than a refused one, with one request for all callers; undefined if another one does not
   * help.
   */
  replace(refused: GoogleToken): Promise<GoogleToken | undefined>;
}

/** After this many refused tokens within the window, another one does not help. */
const MAX_REPLACED = 3;
const WINDOW_MS = 60_000;

export function createTokenManager(get: () => Promise<GoogleToken>, clock: Clock): TokenManager {
  let held: GoogleToken | undefined;
  let getting: Promise<GoogleToken> | undefined;
  let replaced: readonly number[] = [];
  const pause = new FailureBackoff<GoogleToken>(clock);

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
        // The failure may be temporary, and the old token has not expired.
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

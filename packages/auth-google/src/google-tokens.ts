import type { Clock } from '@mcp-fittings/client-core';
import { FailureBackoff } from '@mcp-fittings/toolbox/refusal';
import { isRecent } from '@mcp-fittings/toolbox/timing';

/** A Google token, as it is sent to a server. */
export interface GoogleToken {
  /** Value of the `Authorization` header. */
  readonly authorization: string;
  /** Project to bill, if the credentials name one. */
  readonly quotaProject: string | undefined;
  /** Time when it expires, in milliseconds since the epoch; undefined if unknown. */
  readonly expiresAt: number | undefined;
  /** Time when it was obtained, in milliseconds since the epoch. */
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

/** After this many refused tokens within the window, another one does not help. */
const MAX_REPLACED = 3;
const WINDOW_MS = 60_000;

/** Holds the token of one server, and requests another one before it expires or when it is refused. */
export class GoogleTokens {
  readonly #get: () => Promise<GoogleToken>;
  readonly #clock: Clock;
  readonly #pause: FailureBackoff<GoogleToken>;
  #held: GoogleToken | undefined;
  #getting: Promise<GoogleToken> | undefined;
  #replaced: readonly number[] = [];

  /** `get` requests a token. */
  constructor(get: () => Promise<GoogleToken>, clock: Clock) {
    this.#get = get;
    this.#clock = clock;
    this.#pause = new FailureBackoff(clock);
  }

  /** The token that was last obtained. */
  get held(): GoogleToken | undefined {
    return this.#held;
  }

  /** Resolves with a valid token, renewed before it expires. Rejects as the request for a token does. */
  async current(): Promise<GoogleToken> {
    const held = this.#held;
    if (held !== undefined && isFresh(held, this.#clock.now())) return held;
    try {
      return await this.#renew();
    } catch (error) {
      // The failure may be temporary, and the old token has not expired.
      if (held !== undefined && isAlive(held, this.#clock.now())) return held;
      throw error;
    }
  }

  /**
   * Resolves with a token other than a refused one, with one request for all callers; undefined if another one does not
   * help.
   */
  async replace(refused: GoogleToken): Promise<GoogleToken | undefined> {
    const now = this.#clock.now();
    this.#replaced = this.#replaced.filter((at) => isRecent(at, WINDOW_MS, now));
    if (this.#getting === undefined) {
      if (this.#replaced.length >= MAX_REPLACED) return undefined;
      this.#replaced = [...this.#replaced, now];
    }
    const token = await this.#renew();
    return token.authorization === refused.authorization ? undefined : token;
  }

  #renew(): Promise<GoogleToken> {
    const known = this.#pause.answer(this.#held?.authorization);
    if (known !== undefined) return known;
    this.#getting ??= this.#request().finally(() => {
      this.#getting = undefined;
    });
    return this.#getting;
  }

  async #request(): Promise<GoogleToken> {
    try {
      const token = await this.#get();
      this.#pause.succeeded();
      this.#held = token;
      return token;
    } catch (error) {
      this.#pause.failed(this.#held?.authorization, () => Promise.reject(error));
      throw error;
    }
  }
}

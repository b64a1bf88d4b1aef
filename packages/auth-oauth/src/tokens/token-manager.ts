import { AuthRequiredError, type Clock, FittingsError } from '@mcp-fittings/client-core';
import { FailureBackoff } from '@mcp-fittings/toolbox/refusal';
import { isRecent, sleep } from '@mcp-fittings/toolbox/timing';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import { isCorrupt } from './corrupt-store.js';
import { LOOK_MS, StoredToken, type StoredTokenOptions } from './stored-token.js';
import { isAlive, refreshAt, type TokenRecord } from './token-record.js';

/** Options of {@link TokenManager}. */
export interface TokenManagerOptions extends StoredTokenOptions {
  /** Obtains a new token. */
  readonly renewal: Renewal;
}

/** Obtains a new token for a {@link TokenManager} without a person: by a refresh, or another grant. */
export interface Renewal {
  /** Returns whether a token can be obtained from what is held, for example because there is a refresh token. */
  possible(held: TokenRecord | undefined): boolean;
  /** Requests a new token from the authorization server. Rejects with a `FittingsError`. */
  run(held: TokenRecord | undefined): Promise<TokenRecord>;
  /** Reaction to a refusal of the authorization server: `ask` resolves with `none`, so that a person signs in; `throw` rejects. */
  readonly onRefusal: 'ask' | 'throw';
  /** Returns whether the renewal itself knows when a failure may change, and repeats it without a request until then. Default: it does not. */
  readonly remembers?: ((error: unknown) => boolean) | undefined;
}

/** The outcome of a renewal: `fresh` if there is a new token, `none` if a person has to sign in. */
export type RenewalOutcome = 'fresh' | 'none';

/** A token younger than this is used even if it has expired: a server that issues expired tokens is not asked without end. */
const MIN_LIFE_MS = 10_000;
/** After this many renewals within that time, another one does not help. */
const MAX_RENEWALS = 3;

/**
 * Holds the token of one server, and renews it before it expires. Of all processes that share the store one renews at a
 * time, and the others use its token. A token is dropped only if the authorization server says that it is dead.
 */
export class TokenManager {
  readonly #clock: Clock;
  readonly #renewal: Renewal;
  readonly #token: StoredToken;
  readonly #pause: FailureBackoff<RenewalOutcome>;
  #renewing: Promise<RenewalOutcome> | undefined;
  #renewals: readonly number[] = [];
  #refusal: FittingsError | undefined;

  constructor(options: TokenManagerOptions) {
    this.#clock = options.clock;
    this.#renewal = options.renewal;
    this.#token = new StoredToken(options);
    this.#pause = new FailureBackoff<RenewalOutcome>(options.clock);
  }

  /** The token that was last read or stored; does not read the store. */
  get held(): TokenRecord | undefined {
    return this.#token.held;
  }

  /**
   * The token to send now, if that needs neither the store nor a renewal; otherwise undefined, and {@link usable} tells more. A
   * token that another process has stored meanwhile is noticed when this one is refused or is about to expire.
   */
  get ready(): TokenRecord | undefined {
    const record = this.#token.isLoaded ? this.#token.held : undefined;
    return record !== undefined && this.#isFresh(record) ? record : undefined;
  }

  /** Error with which the authorization server refused the last renewal; undefined if it did not, or since a new sign-in. */
  get refusal(): FittingsError | undefined {
    return this.#refusal;
  }

  /** Resolves with the held token; reads the store the first time. */
  async current(): Promise<TokenRecord | undefined> {
    return this.#token.isLoaded ? this.#token.held : this.#token.reload();
  }

  /** Reads the store again, because another process may have signed in or refreshed. */
  reload(): Promise<TokenRecord | undefined> {
    return this.#token.reload();
  }

  /**
   * Resolves with the token to send now, and renews one that is about to expire. Rejects if an expired token could not be
   * renewed; a token that has not expired is returned then.
   */
  async usable(): Promise<TokenRecord | undefined> {
    const record = await this.current();
    if (record === undefined || this.#isFresh(record)) return record;
    const alive = isAlive(record, this.#clock.now());
    try {
      if ((await this.renew(record)) === 'fresh') return this.#token.held;
      return alive ? record : undefined;
    } catch (error) {
      // The failure may be temporary, and the old token has not expired.
      if (alive) return record;
      throw error;
    }
  }

  /** Returns whether a new token can be obtained from this one without a person. */
  renewable(record: TokenRecord | undefined): boolean {
    return this.#renewal.possible(record);
  }

  /**
   * Obtains a token other than `stale`, which was refused, is about to expire, or is missing. After a failure it rejects
   * with the same error for a while, before it asks the authorization server again.
   */
  renew(stale: TokenRecord | undefined): Promise<RenewalOutcome> {
    // Each new token is refused although it has not expired: another one does not help.
    if (
      this.#recentRenewals().length >= MAX_RENEWALS &&
      stale !== undefined &&
      isAlive(stale, this.#clock.now())
    ) {
      return Promise.resolve('none');
    }
    const known = this.#pause.answer(stale?.accessToken);
    if (known !== undefined) return this.#repeat(stale, known);
    this.#renewing ??= this.#renewOnce(stale).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Stores the token of a new sign-in. */
  async keep(record: TokenRecord): Promise<void> {
    this.#succeeded();
    await this.#token.save(record);
  }

  /** Deletes the token, here and in the store. */
  async drop(): Promise<void> {
    this.#succeeded();
    await this.#token.drop();
  }

  /** Returns whether the token does not have to be renewed now. */
  #isFresh(record: TokenRecord): boolean {
    const now = this.#clock.now();
    return now < refreshAt(record) || isRecent(record.obtainedAt, MIN_LIFE_MS, now);
  }

  #recentRenewals(): readonly number[] {
    return this.#renewals.filter((at) => isRecent(at, MIN_LIFE_MS, this.#clock.now()));
  }

  #succeeded(): void {
    this.#pause.succeeded();
    this.#refusal = undefined;
  }

  /** Returns the recent outcome, unless another process has stored a new token since. */
  async #repeat(stale: TokenRecord | undefined, known: Promise<RenewalOutcome>): Promise<RenewalOutcome> {
    const [found] = await Promise.all([
      this.#token.reload().catch(() => undefined),
      known.catch(() => undefined),
    ]);
    return this.#isNewer(found, stale) ? 'fresh' : known;
  }

  #isNewer(found: TokenRecord | undefined, stale: TokenRecord | undefined): boolean {
    return (
      found !== undefined && found.accessToken !== stale?.accessToken && isAlive(found, this.#clock.now())
    );
  }

  async #renewOnce(stale: TokenRecord | undefined): Promise<RenewalOutcome> {
    try {
      let outcome = await this.#attempt(stale);
      while (outcome === 'wait') {
        await sleep(LOOK_MS, { clock: this.#clock });
        outcome = await this.#attempt(stale);
      }
      if (outcome === 'fresh') this.#succeeded();
      else this.#pause.failed(stale?.accessToken, async () => 'none');
      return outcome;
    } catch (error) {
      // That a person has to sign in is known without a request, and may change at any moment.
      const mayChange = error instanceof AuthRequiredError || this.#renewal.remembers?.(error) === true;
      if (!mayChange && !isCorrupt(error)) {
        this.#pause.failed(stale?.accessToken, async () => {
          throw error;
        });
      }
      throw error;
    }
  }

  /** Renews the token unless another process has done it, or is doing it and must be waited for. */
  #attempt(stale: TokenRecord | undefined): Promise<RenewalOutcome | 'wait'> {
    const token = this.#token;
    return token.withLock(async (signal) => {
      const { changes } = token;
      const found = await token.read();
      if (this.#isNewer(found, stale)) return 'fresh';
      if (!this.#renewal.possible(found)) return 'none';
      if (found !== undefined && (await token.isBeingRenewed(found))) return 'wait';
      const now = found && { ...found, renewing: undefined };
      const mark = now && (await token.mark(now, changes, signal));
      try {
        // Someone may sign in or out meanwhile: then what is stored counts.
        if (!(await token.settle(await this.#renewal.run(now), mark, changes))) return 'wait';
        this.#renewals = [...this.#recentRenewals(), this.#clock.now()];
        return 'fresh';
      } catch (error) {
        if (now !== undefined && isDead(error)) {
          const { refreshToken: _, ...rest } = now;
          if (!(await token.settle(rest, mark, changes))) return 'wait';
        } else if (now !== undefined && mark !== undefined) {
          await token.unmark(now, mark, changes);
        }
        if (this.#renewal.onRefusal === 'throw' || !isRefusal(error)) throw error;
        this.#refusal = error;
        return 'none';
      }
    });
  }
}

/** Codes with which servers refuse a refresh token that is dead: RFC 6749, GitHub, Slack. */
const DEAD = ['invalid_grant', 'bad_refresh_token', 'invalid_refresh_token'];

function isDead(error: unknown): boolean {
  return DEAD.includes(oauthErrorCode(error) ?? '');
}

/**
 * Returns whether the server answered, and not with a token, so that a person has to sign in. The refresh token is kept unless
 * it is dead.
 */
function isRefusal(error: unknown): error is FittingsError {
  return (
    error instanceof FittingsError &&
    error.code === 'AUTH_FAILED' &&
    typeof error.details['status'] === 'number'
  );
}

import {
  AuthRequiredError,
  FittingsError,
  isRecent,
  type Clock,
  type Logger,
  type TokenStore,
} from '@mcp-fittings/client-core/auth';
import { sleep } from '@mcp-fittings/client-core/timing';
import { createFailureBackoff } from '@mcp-fittings/http-client';
import { oauthErrorCode } from '../protocol/oauth-error.js';
import { isCorrupt } from './corrupt-store.js';
import { saveDeferred } from './deferred-save.js';
import { createRenewalMarks, LOOK_MS } from './renewal-marks.js';
import { fromStored, isAlive, refreshAt, toStored, type TokenRecord } from './token-record.js';

/** What {@link createTokenManager} works with. */
export interface TokenManagerDeps {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** Keeps the record; several processes may share it. */
  readonly store: TokenStore;
  /** Key of the record in the store; see `keyOf` of the provider. */
  readonly key: string;
  /** Time source for expiry, pauses and waiting. */
  readonly clock: Clock;
  /** Receives an error if a new token could not be stored. */
  readonly logger: Logger | undefined;
  /** How a new token is obtained. */
  readonly renewal: Renewal;
  /** Returns whether a stored token may still be used; one that may not counts as missing. Default: every token. */
  readonly accepts?: ((held: TokenRecord) => boolean) | undefined;
}

/** How a {@link TokenManager} obtains a new token without a person: a refresh, or another grant. */
export interface Renewal {
  /** Returns whether a token can be obtained from what is held, for example because there is a refresh token. */
  possible(held: TokenRecord | undefined): boolean;
  /** Requests a new token from the authorization server. Rejects with a `FittingsError`. */
  run(held: TokenRecord | undefined): Promise<TokenRecord>;
  /**
   * What to do if the authorization server refuses: `ask` resolves with `none`, so that a person signs in; `throw` rejects.
   */
  readonly onRefusal: 'ask' | 'throw';
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
export interface TokenManager {
  /** The token that was last read or stored; does not read the store. */
  readonly held: TokenRecord | undefined;
  /**
   * The token to send now, if that needs neither the store nor a renewal; otherwise undefined, and {@link usable} tells more. A
   * token that another process has stored meanwhile is noticed when this one is refused or is about to expire.
   */
  readonly ready: TokenRecord | undefined;
  /** Resolves with the held token; reads the store the first time. */
  current(): Promise<TokenRecord | undefined>;
  /** Reads the store again, because another process may have signed in or refreshed. */
  reload(): Promise<TokenRecord | undefined>;
  /**
   * Resolves with the token to send now, and renews one that is about to expire. Rejects if an expired token could not be
   * renewed; a token that has not expired is returned then.
   */
  usable(): Promise<TokenRecord | undefined>;
  /**
   * Obtains a token other than `stale`, which was refused, is about to expire, or is missing. After a failure it rejects
   * with the same error for a while, before it asks the authorization server again.
   */
  renew(stale: TokenRecord | undefined): Promise<RenewalOutcome>;
  /** Why the authorization server refused the last renewal; undefined if it did not, or since a new sign-in. */
  readonly refusal: FittingsError | undefined;
  /** Returns whether a new token can be obtained from this one without a person. */
  renewable(record: TokenRecord | undefined): boolean;
  /** Stores the token of a new sign-in. */
  keep(record: TokenRecord): Promise<void>;
  /** Deletes the token, here and in the store. */
  drop(): Promise<void>;
}

/**
 * Creates the manager of one token.
 * @example
 * ```ts
 * const tokens = createTokenManager({
 *   ...provider,
 *   key: provider.keyOf('my-scheme'),
 *   renewal: { possible: (held) => held?.refreshToken !== undefined, run: refresh, onRefusal: 'ask' },
 * });
 * const record = await tokens.usable();
 * ```
 */
export function createTokenManager(deps: TokenManagerDeps): TokenManager {
  const { store, key, clock, server, logger, renewal, accepts } = deps;
  const pause = createFailureBackoff<RenewalOutcome>(clock);
  let held: TokenRecord | undefined;
  let loaded = false;
  let unsaved = false;
  let renewing: Promise<RenewalOutcome> | undefined;
  let refusal: FittingsError | undefined;
  let renewals: readonly number[] = [];
  let reading: Promise<TokenRecord | undefined> | undefined;
  let changes = 0;
  /** Reads are numbered in the order in which they begin; `latestRead` is the last one whose result is held. */
  let reads = 0;
  let latestRead = 0;
  const marks = createRenewalMarks(clock);

  /** Whether the token does not have to be renewed now. */
  const isFresh = (record: TokenRecord): boolean => {
    const now = clock.now();
    return now < refreshAt(record) || isRecent(record.obtainedAt, MIN_LIFE_MS, now);
  };

  const recent = (): readonly number[] => renewals.filter((at) => isRecent(at, MIN_LIFE_MS, clock.now()));

  const accepted = (): TokenRecord | undefined =>
    held !== undefined && accepts?.(held) === false ? undefined : held;

  const read = async (): Promise<TokenRecord | undefined> => {
    const before = changes;
    const order = ++reads;
    const stored = fromStored(await store.get(key));
    // The token was stored or dropped here meanwhile, or a read that began later has ended: this value is older.
    if (before !== changes || order < latestRead) return accepted();
    latestRead = order;
    // A token that could not be stored is in memory only; the stored one is older, unless another process has signed in
    // since.
    const isOlder = unsaved && held !== undefined && (stored?.obtainedAt ?? 0) <= held.obtainedAt;
    if (!isOlder) {
      held = stored;
      unsaved = false;
    }
    loaded = true;
    return accepted();
  };

  /** A burst of refused calls reads the store once: it may be a keychain. */
  const reload = (): Promise<TokenRecord | undefined> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };

  const hold = (record: TokenRecord | undefined): void => {
    changes++;
    held = record;
    loaded = true;
    unsaved = record !== undefined;
  };

  const succeeded = (): void => {
    pause.succeeded();
    refusal = undefined;
  };

  /** Resolves with whether the token was stored. */
  const save = async (record: TokenRecord): Promise<boolean> => {
    hold(record);
    try {
      await store.set(key, toStored(record));
      unsaved = false;
      return true;
    } catch (cause) {
      // Logged, and not thrown: losing a rotated refresh token would end the sign-in.
      logger?.error(`Could not store the new token for "${server}"; it is kept in memory only.`, {
        server,
        code: cause instanceof FittingsError ? cause.code : undefined,
      });
      return false;
    }
  };

  const saveLater = (mark: string, outcome: TokenRecord): void =>
    saveDeferred({
      store,
      key,
      clock,
      mark,
      outcome,
      saved() {
        if (held === outcome) unsaved = false;
      },
    });

  /** Marks the record before its refresh token is used. Rejects if that fails; the refresh token is unused then. */
  const markRenewal = async (
    now: TokenRecord | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    // No refresh token to use up, or no store to write to.
    if (now?.refreshToken === undefined || unsaved) return undefined;
    const mark = await marks.next();
    await store.set(key, toStored({ ...now, renewing: mark }));
    if (signal.aborted) {
      saveLater(mark, now);
      throw signal.reason;
    }
    return mark;
  };

  /** Watches the mark of the process that has the lock, so that the time until its lock is stale is not waited for twice. */
  const watchWhileWaiting = (): Disposable => {
    let isOver = false;
    let timer: Disposable;
    const look = async (): Promise<void> => {
      const there = await store.get(key).catch(() => undefined);
      if (isOver) return;
      marks.watch(fromStored(there)?.renewing);
      plan();
    };
    const plan = (): void => {
      timer = clock.schedule(() => void look(), 2 * LOOK_MS, { unref: true });
    };
    plan();
    return {
      [Symbol.dispose]() {
        isOver = true;
        timer[Symbol.dispose]();
      },
    };
  };

  const attempt = async (stale: TokenRecord | undefined): Promise<RenewalOutcome | 'wait'> => {
    using waiting = watchWhileWaiting();
    return await store.withLock(key, async (signal) => {
      waiting[Symbol.dispose]();
      const found = await read();
      if (found !== undefined && found.accessToken !== stale?.accessToken && isAlive(found, clock.now()))
        return 'fresh';
      if (!renewal.possible(found)) return 'none';
      if (await marks.isOpen(found?.renewing)) return 'wait';
      const now = found && { ...found, renewing: undefined };
      const mark = await markRenewal(now, signal);
      try {
        const fresh = await renewal.run(now);
        if (!(await save(fresh)) && mark !== undefined) saveLater(mark, fresh);
        renewals = [...recent(), clock.now()];
        return 'fresh';
      } catch (error) {
        if (now !== undefined && isDead(error)) {
          const { refreshToken: _, ...rest } = now;
          await save(rest);
        } else if (now !== undefined && mark !== undefined) {
          await store.set(key, toStored(now)).catch(() => saveLater(mark, now));
        }
        if (renewal.onRefusal === 'throw' || !isRefusal(error)) throw error;
        refusal = error;
        return 'none';
      }
    });
  };

  const transaction = async (stale: TokenRecord | undefined): Promise<RenewalOutcome> => {
    for (;;) {
      const outcome = await attempt(stale);
      if (outcome !== 'wait') return outcome;
      await sleep(LOOK_MS, { clock });
    }
  };

  /** Returns the recent outcome, unless another process has stored a new token since. */
  const repeatOutcome = async (
    stale: TokenRecord | undefined,
    known: Promise<RenewalOutcome>,
  ): Promise<RenewalOutcome> => {
    const [found] = await Promise.all([reload().catch(() => undefined), known.catch(() => undefined)]);
    const isNew = found !== undefined && found.accessToken !== stale?.accessToken;
    return isNew && isAlive(found, clock.now()) ? 'fresh' : known;
  };

  const renew = (stale: TokenRecord | undefined): Promise<RenewalOutcome> => {
    // Each new token is refused although it has not expired: another one does not help.
    if (recent().length >= MAX_RENEWALS && stale !== undefined && isAlive(stale, clock.now())) {
      return Promise.resolve('none');
    }
    const known = pause.answer(stale?.accessToken);
    if (known !== undefined) return repeatOutcome(stale, known);
    renewing ??= transaction(stale)
      .then(
        (outcome) => {
          if (outcome === 'fresh') succeeded();
          else pause.failed(stale?.accessToken, async () => 'none');
          return outcome;
        },
        (error: unknown) => {
          // That a person has to sign in is known without a request, and may change at any moment.
          if (!(error instanceof AuthRequiredError) && !isCorrupt(error)) {
            pause.failed(stale?.accessToken, async () => {
              throw error;
            });
          }
          throw error;
        },
      )
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };

  return {
    get held() {
      return accepted();
    },
    get ready() {
      const record = loaded ? accepted() : undefined;
      return record !== undefined && isFresh(record) ? record : undefined;
    },
    current: async () => (loaded ? accepted() : reload()),
    reload,
    async usable() {
      const record = loaded ? accepted() : await reload();
      if (record === undefined) return undefined;
      if (isFresh(record)) return record;
      const alive = isAlive(record, clock.now());
      try {
        if ((await renew(record)) === 'fresh') return held;
        return alive ? record : undefined;
      } catch (error) {
        // The failure may be temporary, and the old token has not expired.
        if (alive) return record;
        throw error;
      }
    },
    renew,
    get refusal() {
      return refusal;
    },
    renewable: (record) => renewal.possible(record),
    async keep(record) {
      succeeded();
      await save(record);
    },
    async drop() {
      hold(undefined);
      succeeded();
      await store.delete(key);
      // A read that began before the deletion does not bring the token back.
      hold(undefined);
    },
  };
}

/** What servers call a refresh token that is dead: RFC 6749, GitHub, Slack. */
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

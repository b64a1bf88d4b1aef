import {
  AuthRequiredError,
  FittingsError,
  isRecent,
  type Clock,
  type Logger,
  type TokenStore,
} from '@mcp-fittings/client-core/auth';
import { sleep } from '@mcp-fittings/client-core/timing';
import { createRetryPause } from '@mcp-fittings/http-client';
import { settle } from './settlement.js';
import { createRenewalMarks, LOOK_MS } from './renewal-marks.js';
import { isCorrupt } from './corrupt-store.js';
import { fromStored, toStored, type TokenRecord } from './token-record.js';
import { isAlive, refreshAt } from './token-response.js';

export interface TokenManagerDeps {
  readonly server: string;
  readonly store: TokenStore;
  /** Key of the record in the store. */
  readonly key: string;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
  readonly renewal: Renewal;
  /** Whether what is held still counts; what does not is as good as absent. Default: all of it. */
  readonly accepts?: ((held: TokenRecord) => boolean) | undefined;
}

/** How a new token is got without a person. */
export interface Renewal {
  /** Whether there is anything to get a token with, given what is held. */
  possible(held: TokenRecord | undefined): boolean;
  /** Asks the authorization server for a new token; rejects with a `FittingsError`. */
  run(held: TokenRecord | undefined): Promise<TokenRecord>;
  /** What a refusal means: a person has to sign in (`ask`), or nobody can help and the refusal is thrown (`throw`). */
  readonly onRefusal: 'ask' | 'throw';
}

/** How a renewal went. `none`: there is nothing to renew with, so a person has to sign in. */
export type RenewalOutcome = 'fresh' | 'none';

/** A token so young is used whatever it says of its end: a server that gives dead tokens must not be asked without end. */
const MIN_LIFE_MS = 10_000;
/** So many renewals in that time are an answer. */
const MAX_RENEWALS = 3;

/**
 * Holds the token of one server. A renewal is a transaction: one at a time in this process, and behind the store's lock one
 * at a time for all that share the store; whoever comes second finds the new token and takes it. A token is only ever
 * dropped because the authorization server said that it is dead.
 */
export interface TokenManager {
  /** What was last read or kept, without a look into the store. */
  readonly held: TokenRecord | undefined;
  /** What is held; reads the store when nothing is. */
  current(): Promise<TokenRecord | undefined>;
  /** Reads the store again: somebody else may have signed in or refreshed. */
  reload(): Promise<TokenRecord | undefined>;
  /** The token to send now: refreshed when it is about to expire, as long as that works. */
  usable(): Promise<TokenRecord | undefined>;
  /**
   * Gets a token other than `stale`, which was refused, is about to expire, or is not there. Rejects with what went wrong;
   * after a failure it waits a while before it asks again, and rejects with the same error meanwhile.
   */
  renew(stale: TokenRecord | undefined): Promise<RenewalOutcome>;
  /** Whether there is anything to renew this with. */
  renewable(record: TokenRecord | undefined): boolean;
  /** Keeps the outcome of a sign-in. */
  keep(record: TokenRecord): Promise<void>;
  drop(): Promise<void>;
}

export function createTokenManager(parts: TokenManagerDeps): TokenManager {
  const { store, key, clock, server, logger, renewal, accepts } = parts;
  const pause = createRetryPause<RenewalOutcome>(clock);
  let held: TokenRecord | undefined;
  let loaded = false;
  let unsaved = false;
  let renewing: Promise<RenewalOutcome> | undefined;
  let renewals: readonly number[] = [];
  let reading: Promise<TokenRecord | undefined> | undefined;
  let changes = 0;
  const marks = createRenewalMarks(clock);

  const recent = (): readonly number[] => renewals.filter((at) => isRecent(at, MIN_LIFE_MS, clock.now()));

  const counted = (): TokenRecord | undefined =>
    held !== undefined && accepts?.(held) === false ? undefined : held;

  const read = async (): Promise<TokenRecord | undefined> => {
    const before = changes;
    const stored = fromStored(await store.get(key));
    // Kept or dropped here meanwhile: what was read is older.
    if (before !== changes) return counted();
    // A token that could not be saved lives here only; what the store has is older, unless somebody signed in since.
    const isOlder = unsaved && held !== undefined && (stored?.obtainedAt ?? 0) <= held.obtainedAt;
    if (!isOlder) {
      held = stored;
      unsaved = false;
    }
    loaded = true;
    return counted();
  };

  /** Of a burst of refused calls one asks the store, which may be a keychain. */
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

  /** Resolves with whether the store has it. */
  const save = async (record: TokenRecord): Promise<boolean> => {
    hold(record);
    try {
      await store.set(key, toStored(record));
      unsaved = false;
      return true;
    } catch (cause) {
      // Loud, and not fatal: losing a rotated refresh token would log the person out.
      logger?.error(`The new token of "${server}" could not be saved and is kept in memory only.`, {
        server,
        code: cause instanceof FittingsError ? cause.code : undefined,
      });
      return false;
    }
  };

  const settleLater = (mark: string, outcome: TokenRecord): void =>
    settle({
      store,
      key,
      clock,
      mark,
      outcome,
      saved() {
        if (held === outcome) unsaved = false;
      },
    });

  /** Rejects when the mark can not be set; then nothing was used yet. */
  const setOut = async (now: TokenRecord | undefined, signal: AbortSignal): Promise<string | undefined> => {
    // Nothing that is used up, or nothing to write to.
    if (now?.refreshToken === undefined || unsaved) return undefined;
    const mark = await marks.next();
    await store.set(key, toStored({ ...now, renewing: mark }));
    if (signal.aborted) {
      settleLater(mark, now);
      throw signal.reason;
    }
    return mark;
  };

  /** Looks at the mark of the one who has the lock, so that the time in which its lock goes stale is not waited for twice. */
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
      const mark = await setOut(now, signal);
      try {
        const fresh = await renewal.run(now);
        if (!(await save(fresh)) && mark !== undefined) settleLater(mark, fresh);
        renewals = [...recent(), clock.now()];
        return 'fresh';
      } catch (error) {
        if (now !== undefined && isDead(error)) {
          const { refreshToken: _, ...rest } = now;
          await save(rest);
        } else if (now !== undefined && mark !== undefined) {
          await store.set(key, toStored(now)).catch(() => settleLater(mark, now));
        }
        if (renewal.onRefusal === 'throw' || !isRefusal(error)) throw error;
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

  /** The answer of a moment ago, unless another process has put a new token into the store since. */
  const answered = async (
    stale: TokenRecord | undefined,
    known: Promise<RenewalOutcome>,
  ): Promise<RenewalOutcome> => {
    const [found] = await Promise.all([reload().catch(() => undefined), known.catch(() => undefined)]);
    const isNew = found !== undefined && found.accessToken !== stale?.accessToken;
    return isNew && isAlive(found, clock.now()) ? 'fresh' : known;
  };

  const renew = (stale: TokenRecord | undefined): Promise<RenewalOutcome> => {
    // Each new one says that it is alive and is refused all the same: another one will not help.
    if (recent().length >= MAX_RENEWALS && stale !== undefined && isAlive(stale, clock.now())) {
      return Promise.resolve('none');
    }
    const known = pause.answer(stale?.accessToken);
    if (known !== undefined) return answered(stale, known);
    renewing ??= transaction(stale)
      .then(
        (outcome) => {
          if (outcome === 'fresh') pause.succeeded();
          else pause.failed(stale?.accessToken, async () => 'none');
          return outcome;
        },
        (error: unknown) => {
          // That a person has to sign in is known without asking anybody, and may be over at any moment.
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
      return counted();
    },
    current: async () => (loaded ? counted() : reload()),
    reload,
    async usable() {
      const record = loaded ? counted() : await reload();
      if (record === undefined) return undefined;
      const now = clock.now();
      if (now < refreshAt(record) || isRecent(record.obtainedAt, MIN_LIFE_MS, now)) return record;
      const alive = isAlive(record, now);
      try {
        if ((await renew(record)) === 'fresh') return held;
        return alive ? record : undefined;
      } catch (error) {
        // It may pass, and until then the old token is as good as before.
        if (alive) return record;
        throw error;
      }
    },
    renew,
    renewable: (record) => renewal.possible(record),
    async keep(record) {
      pause.succeeded();
      await save(record);
    },
    async drop() {
      hold(undefined);
      pause.succeeded();
      await store.delete(key);
      // What was read before it was deleted does not come back either.
      hold(undefined);
    },
  };
}

/** The authorization server knows the refresh token no more; RFC 6749 calls that `invalid_grant`. */
function isDead(error: unknown): boolean {
  return error instanceof FittingsError && error.details['oauthError'] === 'invalid_grant';
}

/** It refused: a person has to help. Only `invalid_grant` says that the token is dead; with anything else nothing is lost. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof FittingsError ? error.details['status'] : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

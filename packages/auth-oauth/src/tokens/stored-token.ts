import { type Clock, FittingsError, type Logger, type TokenStore } from '@mcp-fittings/client-core';
import { backoffDelay } from '@mcp-fittings/toolbox/timing';
import { isCorrupt } from './corrupt-store.js';
import { fromStored, toStored, type TokenRecord } from './token-record.js';

/** Marks that a process leaves in the store before it uses a refresh token up. */
export interface ProcessMarks {
  /** Resolves with a mark of this process that is never made twice. */
  make(): Promise<string>;
  /** Resolves with whether the process that left the mark has exited. True only when that is certain. */
  isOfDeadProcess(mark: string): Promise<boolean>;
}

/** Options of {@link StoredToken}. */
export interface StoredTokenOptions {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** Keeps the record; several processes may share it. */
  readonly store: TokenStore;
  /** Key of the record in the store; see `keyOf` of the provider. */
  readonly key: string;
  /** Time source for expiry, pauses and waiting. */
  readonly clock: Clock;
  /** Marks of processes; see `createTokenManager` of the provider. */
  readonly marks: ProcessMarks;
  /** Receives an error if a new token could not be stored. */
  readonly logger?: Logger | undefined;
  /** Returns whether a stored token may still be used; one that may not counts as missing. Default: every token. */
  readonly accepts?: ((held: TokenRecord) => boolean) | undefined;
}

/** Time between two looks at the mark of another process. */
export const LOOK_MS = 250;
/** After this time a suspended process is given up. */
const SUSPENDED_MS = 15_000;
/** After this time the lock of a process that has exited is stale; a running process may hold it longer. */
const LOCK_MS = 10_000;
/** Delays between the attempts to use a store that is unavailable. */
const BACKOFF = { initialMs: 500, maxMs: 5_000 };

/**
 * Reads and writes the token of one server, for this process and all others that share the store.
 *
 * A rotating refresh token is used up once it was sent, whether the response arrives or not, so the record is marked before
 * that. The mark of another process says more than the lock: its holder was suspended, or has lost the connection to the
 * store, and may come back with the new token. Using the old token again would end the sign-in for all of them.
 */
export class StoredToken {
  readonly #options: StoredTokenOptions;
  #held: TokenRecord | undefined;
  #loaded = false;
  #unsaved = false;
  #reading: Promise<TokenRecord | undefined> | undefined;
  #writing = Promise.resolve();
  #changes = 0;
  /** Reads are numbered in the order in which they begin; the latest one is the last whose result is held. */
  #reads = 0;
  #latestRead = 0;
  #ownMark: string | undefined;
  #seenMark: { readonly mark: string; readonly at: number; readonly ms: number } | undefined;

  constructor(options: StoredTokenOptions) {
    this.#options = options;
  }

  /** The token that was last read or stored; does not read the store. */
  get held(): TokenRecord | undefined {
    const held = this.#held;
    return held !== undefined && this.#options.accepts?.(held) === false ? undefined : held;
  }

  /** True if {@link held} is known: the store was read, or a token was stored or deleted. */
  get isLoaded(): boolean {
    return this.#loaded;
  }

  /** Counts the tokens that were stored or deleted here, so that a renewal can tell whether someone has signed in or out since. */
  get changes(): number {
    return this.#changes;
  }

  /** Reads the store. A burst of refused calls reads it once: it may be a keychain. */
  reload(): Promise<TokenRecord | undefined> {
    this.#reading ??= this.read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Reads the store now, also while a reload is under way. */
  async read(): Promise<TokenRecord | undefined> {
    const before = this.#changes;
    const order = ++this.#reads;
    const stored = await this.#get();
    // The token was stored or dropped here meanwhile, or a read that began later has ended: this value is older.
    if (before !== this.#changes || order < this.#latestRead) return this.held;
    this.#latestRead = order;
    // A token that could not be stored is in memory only; the stored one is older, unless another process has signed in
    // since.
    const held = this.#held;
    const isOlder = this.#unsaved && held !== undefined && (stored?.obtainedAt ?? 0) <= held.obtainedAt;
    if (!isOlder) {
      this.#held = stored;
      this.#unsaved = false;
    }
    this.#loaded = true;
    return this.held;
  }

  /** Holds and stores a token. If the store fails, one that was renewed under a mark is stored later. */
  async save(record: TokenRecord, mark?: string): Promise<void> {
    const { server, logger } = this.#options;
    this.#hold(record);
    try {
      await this.#set(record);
      this.#unsaved = false;
    } catch (cause) {
      // Logged, and not thrown: losing a rotated refresh token would end the sign-in.
      logger?.error(`Could not store the new token for "${server}"; it is kept in memory only.`, {
        server,
        code: cause instanceof FittingsError ? cause.code : undefined,
      });
      if (mark !== undefined) this.#saveLater(record, mark, this.#changes);
    }
  }

  /**
   * Stores the outcome of a renewal that began at these {@link changes}. If someone has signed in or out since, here or in another process,
   * which removes the mark, it stores nothing and resolves with false: the outcome belongs to a sign-in that has ended.
   */
  async settle(record: TokenRecord, mark: string | undefined, changes: number): Promise<boolean> {
    const isOurs = mark === undefined || (await this.#isMarked(mark).catch(() => true));
    if (!isOurs || changes !== this.#changes) return false;
    await this.save(record, mark);
    return true;
  }

  /** Deletes the token, here and in the store. */
  async drop(): Promise<void> {
    const { store, key } = this.#options;
    this.#hold(undefined);
    await this.#inOrder(() => store.delete(key));
    // A read that began before the deletion does not bring the token back.
    this.#hold(undefined);
  }

  /** Runs `work` while no other process renews this token. */
  async withLock<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { store, key } = this.#options;
    const stopWatching = this.#watchWhileWaiting();
    try {
      return await store.withLock(key, (signal) => {
        stopWatching();
        return work(signal);
      });
    } finally {
      stopWatching();
    }
  }

  /**
   * Returns whether the process that has marked the record may still come back. A process of this machine that has exited
   * does not.
   */
  async isBeingRenewed({ renewing: mark }: TokenRecord): Promise<boolean> {
    if (mark === undefined || mark === this.#ownMark) return false;
    const { marks } = this.#options;
    return this.#look(mark, Infinity) < SUSPENDED_MS && !(await marks.isOfDeadProcess(mark));
  }

  /** Marks the record before its refresh token is used. Rejects if that fails; the refresh token is unused then. */
  async mark(record: TokenRecord, changes: number, signal: AbortSignal): Promise<string | undefined> {
    // No refresh token to use up, or no store to write to.
    if (record.refreshToken === undefined || this.#unsaved) return undefined;
    const mark = await this.#options.marks.make();
    // Someone has signed in or out: the record is no longer the one in the store.
    if (changes !== this.#changes) return undefined;
    this.#ownMark = mark;
    await this.#set({ ...record, renewing: mark });
    if (signal.aborted) {
      this.#saveLater(record, mark, changes);
      throw signal.reason;
    }
    return mark;
  }

  /** Stores the record as it was before it was marked. */
  async unmark(record: TokenRecord, mark: string, changes: number): Promise<void> {
    await this.#write(record, mark, changes).catch(() => this.#saveLater(record, mark, changes));
  }

  async #get(): Promise<TokenRecord | undefined> {
    const { store, key } = this.#options;
    return fromStored(await store.get(key));
  }

  #set(record: TokenRecord): Promise<void> {
    const { store, key } = this.#options;
    return this.#inOrder(() => store.set(key, toStored(record)));
  }

  /** Writes after what was written before, so that a sign-out or a new sign-in counts, whichever write takes longer. */
  #inOrder(write: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(write);
    this.#writing = written.catch(() => undefined);
    return written;
  }

  #hold(record: TokenRecord | undefined): void {
    this.#changes++;
    this.#held = record;
    this.#loaded = true;
    this.#unsaved = record !== undefined;
  }

  /**
   * Stores the outcome of a renewal. If its mark is gone, nothing is written: another process has signed in or out, or has
   * begun another renewal.
   */
  async #write(outcome: TokenRecord, mark: string, changes: number): Promise<void> {
    if (!(await this.#isMarked(mark)) || changes !== this.#changes) return;
    await this.#set(outcome);
    if (this.#held === outcome) this.#unsaved = false;
  }

  /** Does that as soon as the store can be written to. */
  #saveLater(outcome: TokenRecord, mark: string, changes: number, attempt = 0): void {
    const { store, key, clock } = this.#options;
    const tryNow = async (): Promise<void> => {
      try {
        await store.withLock(key, () => this.#write(outcome, mark, changes));
      } catch {
        this.#saveLater(outcome, mark, changes, attempt + 1);
      }
    };
    clock.schedule(() => void tryNow(), backoffDelay(attempt, BACKOFF), { unref: true });
  }

  /** Resolves with whether the record in the store still has this mark. One that cannot be read may be replaced. */
  async #isMarked(mark: string): Promise<boolean> {
    try {
      return (await this.#get())?.renewing === mark;
    } catch (error) {
      if (isCorrupt(error)) return true;
      throw error;
    }
  }

  /**
   * Watches the mark of the process that has the lock, so that the time until its lock is stale is not waited for twice. Returns a
   * function that stops it.
   */
  #watchWhileWaiting(): () => void {
    const { clock } = this.#options;
    let isOver = false;
    let timer: Disposable;
    const look = async (): Promise<void> => {
      const mark = (await this.#get().catch(() => undefined))?.renewing;
      if (isOver) return;
      if (mark !== undefined && mark !== this.#ownMark) this.#look(mark, LOCK_MS);
      plan();
    };
    const plan = (): void => {
      timer = clock.schedule(() => void look(), 2 * LOOK_MS, { unref: true });
    };
    plan();
    return () => {
      isOver = true;
      timer[Symbol.dispose]();
    };
  }

  /** Returns for how long the mark has been watched. Only that counts: not the sleep of this machine, nor an outage of the store. */
  #look(mark: string, atMost: number): number {
    const at = this.#options.clock.now();
    const before = this.#seenMark?.mark === mark ? this.#seenMark : { at, ms: 0 };
    const ms = before.ms + Math.max(0, Math.min(at - before.at, 2 * LOOK_MS));
    this.#seenMark = { mark, at, ms: Math.max(before.ms, Math.min(ms, atMost)) };
    return this.#seenMark.ms;
  }
}

import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { SpillStore } from './spill-store.js';

/** Limits of a store. */
export interface SpillStoreLimits {
  /** Maximum bytes of all entries together. */
  readonly maxBytes?: number | undefined;
  /** Maximum number of entries. Default 1000. */
  readonly maxEntries?: number | undefined;
  /** The clock by which entries expire. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
}

interface Entry<Content> {
  readonly content: Content;
  readonly bytes: number;
  readonly owner: string;
  readonly expiresAt: number;
}

/** Limits are checked after this much at the latest, so that expired entries do not stay until the next call. */
const SWEEP_MS = 60_000;
const DEFAULT_MAX_ENTRIES = 1_000;

/**
 * Holds the entries of a store. An entry ends when it expires, when it is deleted, or when a new one needs its space: then the owner with
 * the most bytes loses its oldest entry, so that one person who fills the store does not remove the results of others.
 */
export class StoredEntries<Content> {
  readonly #entries = new Map<string, Entry<Content>>();
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #clock: Clock;
  readonly #onRemove: (content: Content) => void;
  #bytes = 0;
  #timer: Disposable | undefined;

  constructor(limits: SpillStoreLimits & { maxBytes: number }, onRemove: (content: Content) => void) {
    this.#maxBytes = positive('maxBytes', limits.maxBytes);
    this.#maxEntries = positive('maxEntries', limits.maxEntries ?? DEFAULT_MAX_ENTRIES);
    this.#clock = limits.clock ?? systemClock;
    this.#onRemove = onRemove;
  }

  /** Makes room for a new entry. Throws `SPILL_FAILED` if it is larger than everything that may be kept. */
  makeRoom(bytes: number): void {
    if (bytes > this.#maxBytes) {
      throw new FittingsError(
        'SPILL_FAILED',
        `The result has ${bytes} bytes, and the store keeps at most ${this.#maxBytes}.`,
        { hint: 'Increase maxBytes of the store.' },
      );
    }
    this.#removeExpired();
    while (this.#bytes + bytes > this.#maxBytes || this.#entries.size >= this.#maxEntries)
      this.#removeOldest();
  }

  /** Adds an entry, for which {@link makeRoom} has made room. */
  set(
    key: string,
    content: Content,
    bytes: number,
    { owner, ttlMs }: Parameters<SpillStore['put']>[2],
  ): void {
    this.delete(key);
    this.#entries.set(key, { content, bytes, owner, expiresAt: this.#clock.now() + ttlMs });
    this.#bytes += bytes;
    this.#schedule();
  }

  get(key: string): { readonly content: Content; readonly bytes: number } | undefined {
    this.#removeExpired();
    return this.#entries.get(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#onRemove(entry.content);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #removeOldest(): void {
    const used = new Map<string, number>();
    for (const { owner, bytes } of this.#entries.values()) used.set(owner, (used.get(owner) ?? 0) + bytes);
    const most = Math.max(...used.values());
    // A map iterates in the order of insertion.
    const [oldest] = [...this.#entries].find(([, { owner }]) => used.get(owner) === most) ?? [];
    if (oldest !== undefined) this.delete(oldest);
  }

  #removeExpired(): void {
    const now = this.#clock.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.delete(key);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#entries.size === 0) return;
    const next = Math.min(...[...this.#entries.values()].map(({ expiresAt }) => expiresAt));
    const wait = Math.min(SWEEP_MS, Math.max(0, next - this.#clock.now()));
    this.#timer = this.#clock.schedule(
      () => {
        this.#timer = undefined;
        this.#removeExpired();
        this.#schedule();
      },
      wait,
      { unref: true },
    );
  }
}

const MEMORY_BYTES = 200_000_000;

/**
 * Keeps results in memory, outside of the heap of V8.
 * @param limits `maxBytes` is 200 000 000 by default.
 * @throws {FittingsError} `CONFIG_INVALID` if a limit is not positive.
 */
export function memorySpillStore(limits: SpillStoreLimits = {}): SpillStore {
  const entries = new StoredEntries<Uint8Array>(
    { ...limits, maxBytes: limits.maxBytes ?? MEMORY_BYTES },
    () => undefined,
  );
  return {
    put: (key, data, options) =>
      new Promise((resolve) => {
        entries.makeRoom(data.length);
        entries.set(key, data, data.length, options);
        resolve();
      }),
    get: (key) => Promise.resolve(entries.get(key)?.content),
    delete: (key) => Promise.resolve(entries.delete(key)),
    close: () => Promise.resolve(entries.clear()),
  };
}

/** Returns a limit, or throws `CONFIG_INVALID` if it is not a positive number. */
export function positive(name: string, value: number): number {
  if (value > 0) return value;
  throw new FittingsError('CONFIG_INVALID', `${name} must be a positive number, and is ${String(value)}.`);
}

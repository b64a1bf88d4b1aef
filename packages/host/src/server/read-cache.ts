import type { Clock, HostCache } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ResourceResult } from '../contracts/content.js';
import { freshFor } from '../engine/list-pages.js';
import { readResourceResult } from '../engine/read-results.js';
import { digestOf, measure } from '../json-values.js';
import type { ServerDeps } from '../setup/server-deps.js';

/** Bounds of one result, and of all of one connection. What is larger is read each time. */
const RESULT_BOUNDS = { maxNodes: 10_000, maxDepth: 50, maxBytes: 4_194_304 };
const MAX_RESULTS = 256;
const MAX_BYTES = 16_777_216;
/** Longest time that a result counts as fresh, in milliseconds. */
const MAX_TTL_MS = 86_400_000;

interface Kept {
  readonly result: ResourceResult;
  readonly bytes: number;
  readonly expiresAt: number;
}

/**
 * Results of `resources/read` that the server calls fresh for a while. They are kept in memory, for one connection and so for one
 * principal. What the server calls public is also in the cache of the host, for everyone with the same entry.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ReadCache {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #cache: HostCache | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #entry: string;
  /** The one that was kept first is first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  #changes = 0;
  /** Shared results that were stored before are not used any more. */
  #changedAt = 0;

  constructor(
    { server, config, clock, options }: Pick<ServerDeps, 'server' | 'config' | 'clock' | 'options'>,
    onError: (error: unknown) => void,
  ) {
    this.#server = server;
    this.#clock = clock;
    this.#cache = options.cache;
    this.#onError = onError;
    this.#entry = digestOf([server, config]);
  }

  /** Returns a copy of a result that is still fresh. */
  get(uri: string): ResourceResult | undefined {
    const found = this.#kept.get(uri);
    if (found === undefined) return undefined;
    if (found.expiresAt > this.#clock.now()) return structuredClone(found.result);
    this.#forget(uri);
    return undefined;
  }

  /** Returns one that the cache of the host has. */
  async getShared(uri: string): Promise<ResourceResult | undefined> {
    try {
      const found = await this.#cache?.get(this.#keyOf(uri));
      if (!isRecord(found) || found['uri'] !== uri) return undefined;
      const { result, storedAt, ttlMs } = found;
      if (typeof storedAt !== 'number' || typeof ttlMs !== 'number' || !isRecord(result)) return undefined;
      const now = this.#clock.now();
      const isFresh =
        storedAt > this.#changedAt && storedAt <= now && now < storedAt + Math.min(ttlMs, MAX_TTL_MS);
      // As carefully as what a server sends.
      return isFresh && Array.isArray(result['contents'])
        ? readResourceResult(this.#server, uri, result)
        : undefined;
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  /** Returns a function that keeps a result, unless the resource changed since this call. */
  begin(uri: string): (result: ResourceResult) => void {
    const before = this.#changes;
    return (result) => {
      const ttlMs = Math.min(freshFor(result) ?? 0, MAX_TTL_MS);
      if (ttlMs === 0 || before !== this.#changes) return;
      this.#keep(uri, result, ttlMs);
      if (!this.#kept.has(uri) || !isRecord(result) || result['cacheScope'] !== 'public') return;
      const stored = { uri, result, storedAt: this.#clock.now(), ttlMs };
      this.#cache?.set(this.#keyOf(uri), stored).catch(this.#onError);
    };
  }

  /** Call it when the server reports a change. */
  changed(uri: string): void {
    this.#changes++;
    this.#forget(uri);
    this.#cache?.delete(this.#keyOf(uri)).catch(this.#onError);
  }

  /** Call it when any resource may have changed. */
  changedAll(): void {
    this.clear();
    this.#changedAt = this.#clock.now();
  }

  /** Forgets what is in memory: the connection has ended, or another user may be signed in. */
  clear(): void {
    this.#changes++;
    this.#kept.clear();
    this.#bytes = 0;
  }

  #keep(uri: string, result: ResourceResult, ttlMs: number): void {
    const size = measure(result, RESULT_BOUNDS);
    if (size.problem !== undefined) return;
    this.#forget(uri);
    const expiresAt = this.#clock.now() + ttlMs;
    this.#kept.set(uri, { result: structuredClone(result), bytes: size.bytes, expiresAt });
    this.#bytes += size.bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_RESULTS && this.#bytes <= MAX_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(uri: string): void {
    this.#bytes -= this.#kept.get(uri)?.bytes ?? 0;
    this.#kept.delete(uri);
  }

  #keyOf(uri: string): string {
    return `read:${this.#entry}:${digestOf(uri)}`;
  }
}

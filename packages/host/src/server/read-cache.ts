import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { ResourceResult } from '../contracts/content.js';
import { readResourceResult } from '../engine/read-results.js';
import { digestOf, measure } from '../json-values.js';
import type { ServerDeps } from '../setup/server-deps.js';

/**
 * Results of `resources/read` that the server calls fresh for a while. They are kept in memory, for one connection and so for one
 * person. What the server calls public is also in the cache of the host, for everyone with the same entry.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface ReadCache {
  /** Returns a copy of a result that is still fresh. */
  get(uri: string): ResourceResult | undefined;
  /** Returns one that the cache of the host has. */
  getShared(uri: string): Promise<ResourceResult | undefined>;
  /** Returns a function that keeps a result, unless the resource changed since this call. */
  begin(uri: string): (result: ResourceResult) => void;
  /** Call it when the server reports a change. */
  changed(uri: string): void;
  /** Call it when any resource may have changed. */
  changedAll(): void;
  /** Forgets what is in memory: the connection has ended, or another user may be signed in. */
  clear(): void;
}

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

export function createReadCache(
  { server, config, clock, options }: Pick<ServerDeps, 'server' | 'config' | 'clock' | 'options'>,
  onError: (error: unknown) => void,
): ReadCache {
  const { cache } = options;
  const entry = digestOf([server, config]);
  const keyOf = (uri: string): string => `read:${entry}:${digestOf(uri)}`;
  /** The one that was kept first is first. */
  const kept = new Map<string, Kept>();
  let bytes = 0;
  let changes = 0;
  /** Shared results that were stored before are not used any more. */
  let changedAt = 0;

  const forget = (uri: string): void => {
    bytes -= kept.get(uri)?.bytes ?? 0;
    kept.delete(uri);
  };
  const clear = (): void => {
    changes++;
    kept.clear();
    bytes = 0;
  };
  const keep = (uri: string, result: ResourceResult, ttlMs: number): void => {
    const size = measure(result, RESULT_BOUNDS);
    if (size.problem !== undefined) return;
    forget(uri);
    kept.set(uri, { result: structuredClone(result), bytes: size.bytes, expiresAt: clock.now() + ttlMs });
    bytes += size.bytes;
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_RESULTS && bytes <= MAX_BYTES) break;
      forget(oldest);
    }
  };

  return {
    get(uri) {
      const found = kept.get(uri);
      if (found === undefined) return undefined;
      if (found.expiresAt > clock.now()) return structuredClone(found.result);
      forget(uri);
      return undefined;
    },
    async getShared(uri) {
      try {
        const found = readShared(server, await cache?.get(keyOf(uri)), uri);
        const now = clock.now();
        const isFresh =
          found !== undefined &&
          found.storedAt > changedAt &&
          found.storedAt <= now &&
          now < found.storedAt + Math.min(found.ttlMs, MAX_TTL_MS);
        return isFresh ? found.result : undefined;
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    begin(uri) {
      const before = changes;
      return (result) => {
        const ttlMs = freshFor(result);
        if (ttlMs === 0 || before !== changes) return;
        keep(uri, result, ttlMs);
        if (!kept.has(uri) || !isRecord(result) || result['cacheScope'] !== 'public') return;
        cache?.set(keyOf(uri), { uri, result, storedAt: clock.now(), ttlMs }).catch(onError);
      };
    },
    changed(uri) {
      changes++;
      forget(uri);
      cache?.delete(keyOf(uri)).catch(onError);
    },
    changedAll() {
      clear();
      changedAt = clock.now();
    },
    clear,
  };
}

/** A time to live that is missing or malformed counts as 0. */
function freshFor(result: unknown): number {
  const ttlMs = isRecord(result) ? result['ttlMs'] : undefined;
  return typeof ttlMs === 'number' && ttlMs > 0 ? Math.min(ttlMs, MAX_TTL_MS) : 0;
}

interface SharedResult {
  readonly result: ResourceResult;
  readonly storedAt: number;
  readonly ttlMs: number;
}

/** Reads what is in the cache as carefully as what a server sends. */
function readShared(server: string, value: unknown, uri: string): SharedResult | undefined {
  if (!isRecord(value) || value['uri'] !== uri) return undefined;
  const { result, storedAt, ttlMs } = value;
  if (typeof storedAt !== 'number' || typeof ttlMs !== 'number') return undefined;
  if (!isRecord(result) || !Array.isArray(result['contents'])) return undefined;
  return { result: readResourceResult(server, uri, result), storedAt, ttlMs };
}

import type { SpillStore } from './spill-store.js';
import { StoredEntries, type SpillStoreLimits } from './stored-entries.js';

const DEFAULT_MAX_BYTES = 200_000_000;

/**
 * Keeps results in memory, outside of the heap of V8.
 * @param limits `maxBytes` is 200 000 000 by default.
 * @throws {FittingsError} `CONFIG_INVALID` if a limit is not positive.
 */
export function memorySpillStore(limits: SpillStoreLimits = {}): SpillStore {
  const entries = new StoredEntries<readonly Uint8Array[]>(
    { ...limits, maxBytes: limits.maxBytes ?? DEFAULT_MAX_BYTES },
    () => undefined,
  );
  return {
    put: (key, chunks, options) =>
      new Promise((resolve) => {
        const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
        entries.makeRoom(bytes);
        entries.set(key, chunks, bytes, options);
        resolve();
      }),
    get: (key, start, end) => {
      const chunks = entries.get(key)?.content;
      return Promise.resolve(chunks === undefined ? undefined : rangeOf(chunks, start, end));
    },
    delete: (key) => Promise.resolve(entries.delete(key)),
    close: () => Promise.resolve(entries.clear()),
  };
}

/** Returns the bytes from `start` to `end`. Copies them only if they are in several chunks. */
function rangeOf(chunks: readonly Uint8Array[], start: number, end: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const chunk of chunks) {
    if (at >= end) break;
    if (at + chunk.length > start)
      pieces.push(chunk.subarray(Math.max(0, start - at), Math.min(chunk.length, end - at)));
    at += chunk.length;
  }
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

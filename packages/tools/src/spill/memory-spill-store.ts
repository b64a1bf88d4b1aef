import type { SpillStore } from './spill-store.js';
import { StoredEntries, type SpillStoreLimits } from './stored-entries.js';

const DEFAULT_MAX_BYTES = 200_000_000;

/**
 * Keeps results in memory, outside of the heap of V8.
 * @param limits `maxBytes` is 200 000 000 by default.
 * @throws {FittingsError} `CONFIG_INVALID` if a limit is not positive.
 */
export function memorySpillStore(limits: SpillStoreLimits = {}): SpillStore {
  const entries = new StoredEntries<Uint8Array>(
    { ...limits, maxBytes: limits.maxBytes ?? DEFAULT_MAX_BYTES },
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

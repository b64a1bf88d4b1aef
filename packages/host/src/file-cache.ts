import { join } from 'node:path';
import type { HostCache } from '@mcp-fittings/client-core';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFileSync,
  removePrivateFile,
  writePrivateFile,
} from '@mcp-fittings/toolbox/files';
import { hashText } from '@mcp-fittings/toolbox/text';

/** Options of {@link fileCache}. */
export interface FileCacheOptions {
  /** Directory of the cache, for this cache alone. Created with mode 0700 when it is first needed. */
  readonly folder: string;
  /** Longest value that is kept or read, in bytes. Default 8 388 608. */
  readonly maxBytes?: number | undefined;
}

/**
 * Creates a cache for `createHost()` that keeps each value in a file, so that the tools of a lazy server are known
 * before it has connected. Files have mode 0600 and are replaced as a whole.
 *
 * A value that cannot be read counts as absent. So does one that another user owns, can read, or can write, because
 * descriptions of tools reach the model; writing to such a directory rejects with `STORE_INSECURE`. On Windows, the access
 * rules of the user profile apply instead of modes.
 * @example
 * const cache = fileCache({ folder: join(homedir(), '.cache', 'my-agent') });
 * const host = createHost({ name, version, transports, cache, lazy: true });
 */
export function fileCache(options: FileCacheOptions): HostCache {
  const { folder, maxBytes = 8 * 1024 * 1024 } = options;
  const nameOf = (key: string): string => `${hashText(key)}.json`;
  let checking: Promise<boolean> | undefined;
  /** Values that are read at the same time share a check: a host reads those of all its servers before it connects them. */
  const exists = (): Promise<boolean> =>
    (checking ??= checkPrivateDirectory(folder).finally(() => {
      checking = undefined;
    }));
  return {
    async get(key) {
      try {
        if (!(await exists())) return undefined;
        // 100 values in 3 ms. The thread pool takes 20, and no server is started meanwhile.
        const value: unknown = JSON.parse(readPrivateFileSync(join(folder, nameOf(key)), maxBytes) ?? '');
        return value;
      } catch {
        return undefined;
      }
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) return;
      await ensurePrivateDirectory(folder);
      // Most servers list the same in each run. Writing it again would cost two flushes of the disk.
      if (readPrivateFileSync(join(folder, nameOf(key)), maxBytes) === text) return;
      await writePrivateFile(folder, nameOf(key), text);
    },
    async delete(key) {
      if (await checkPrivateDirectory(folder)) await removePrivateFile(folder, nameOf(key));
    },
  };
}

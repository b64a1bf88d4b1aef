import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HostCache } from '@mcp-fittings/client-core';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  writePrivateFile,
} from '@mcp-fittings/client-core/files';

export interface FileCacheOptions {
  /** Folder of the cache, made when it is first needed, mode 0700. */
  readonly folder: string;
  /** A longer value is neither kept nor read, bytes. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * One file a value, replaced as a whole, mode 0600. What cannot be read counts as absent. So does what another user owns,
 * may read or may write, or could put in the place of the folder: descriptions of tools reach the model. Writing there
 * rejects with `STORE_INSECURE`. Windows has no such modes; there the access rules of the profile count.
 */
export function fileCache(options: FileCacheOptions): HostCache {
  const { folder, maxBytes = 8 * 1024 * 1024 } = options;
  const nameOf = (key: string): string => `${createHash('sha256').update(key).digest('base64url')}.json`;
  return {
    async get(key) {
      try {
        if (!(await checkPrivateDirectory(folder))) return undefined;
        const value: unknown = JSON.parse((await readPrivateFile(join(folder, nameOf(key)), maxBytes)) ?? '');
        return value;
      } catch {
        return undefined;
      }
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) return;
      await ensurePrivateDirectory(folder);
      await writePrivateFile(folder, nameOf(key), text);
    },
    async delete(key) {
      if (await checkPrivateDirectory(folder)) await removePrivateFile(folder, nameOf(key));
    },
  };
}

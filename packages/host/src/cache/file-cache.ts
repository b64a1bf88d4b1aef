import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostCache } from '@mcp-fittings/client-core';

export interface FileCacheOptions {
  /** Folder of the cache, made when it is first needed; nobody else should write to it. */
  readonly folder: string;
  /** A longer value is not kept, bytes. Default 8 MiB. */
  readonly maxBytes?: number | undefined;
}

/** One file a value, replaced as a whole, readable by its owner only. What can't be read counts as absent. */
export function fileCache(options: FileCacheOptions): HostCache {
  const { folder, maxBytes = 8 * 1024 * 1024 } = options;
  const fileOf = (key: string): string =>
    join(folder, `${createHash('sha256').update(key).digest('base64url')}.json`);
  return {
    async get(key) {
      try {
        const value: unknown = JSON.parse(await readFile(fileOf(key), 'utf8'));
        return value;
      } catch {
        return undefined;
      }
    },
    async set(key, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes) return;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(key);
      const temporary = `${file}.${randomUUID()}.tmp`;
      try {
        await writeFile(temporary, text, { mode: 0o600 });
        await rename(temporary, file);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async delete(key) {
      await rm(fileOf(key), { force: true });
    },
  };
}

import { join, resolve } from 'node:path';
import type { Clock } from '@mcp-fittings/client-core';
import type { StoredValue, TokenStore } from '@mcp-fittings/client-core/auth';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  writePrivateFile,
} from '@mcp-fittings/client-core/files';
import { entryName } from '../entry-name.js';
import { createFileLocks, type FileLocks } from '../locks/file-locks.js';
import type { LockOptions } from '../locks/lock-times.js';
import { asStoreError, storeError } from '../store-error.js';

/** How one entry becomes the text of its file. */
export interface EntryFormat {
  /** End of the file names. */
  readonly suffix: string;
  encode(key: string, value: StoredValue): Promise<string>;
  /** Rejects with STORE_CORRUPT where the text is not what {@link encode} made for this key. */
  decode(key: string, text: string): Promise<StoredValue>;
}

/** What a format may use besides the entries: the directory, and locks that hold for everybody who uses it. */
export interface EntryDirectory {
  readonly path: string;
  readonly locks: FileLocks;
}

export interface EntryFilesOptions {
  readonly path: string;
  readonly lock?: LockOptions | undefined;
  readonly clock: Clock;
  readonly format: (directory: EntryDirectory) => EntryFormat;
}

/** Keys are the caller's: they must not be able to name a lock of the store itself. */
const lockOf = (key: string): string => `entry ${key}`;

/** A {@link TokenStore} with one private file an entry in a private directory, and a lock an entry below it. */
export function entryFiles(options: EntryFilesOptions): TokenStore {
  if (options.path === '') throw storeError('CONFIG_INVALID', 'The store needs the path of a directory.');
  const path = resolve(options.path);
  const locks = createFileLocks({
    ...options.lock,
    directory: join(path, 'locks'),
    // The locks' own directory lies inside: a loose outer one would let others replace it.
    prepare: () => ensurePrivateDirectory(path),
    clock: options.clock,
  });
  const format = options.format({ path, locks });
  const fileOf = (key: string): string => `${entryName(key)}${format.suffix}`;

  return {
    async get(key) {
      try {
        if (!(await checkPrivateDirectory(path))) return undefined;
        const text = await readPrivateFile(join(path, fileOf(key)));
        return text === undefined ? undefined : await format.decode(key, text);
      } catch (error) {
        throw asStoreError(error, `A credential could not be read from ${path}.`);
      }
    },
    async set(key, value) {
      try {
        await ensurePrivateDirectory(path);
        const text = await format.encode(key, value);
        await writePrivateFile(path, fileOf(key), text, {
          beforeCommit: () => locks.assertNotLost(lockOf(key)),
        });
      } catch (error) {
        throw asStoreError(error, `A credential could not be written to ${path}.`);
      }
    },
    async delete(key) {
      try {
        if (!(await checkPrivateDirectory(path))) return;
        await locks.assertNotLost(lockOf(key));
        await removePrivateFile(path, fileOf(key));
      } catch (error) {
        throw asStoreError(error, `A credential could not be deleted from ${path}.`);
      }
    },
    withLock: (key, work) => locks.run(lockOf(key), work),
  };
}

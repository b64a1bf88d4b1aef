import { join, resolve } from 'node:path';
import type { Clock, StoredValue, TokenStore } from '@mcp-fittings/client-core';
import {
  checkPrivateDirectory,
  ensurePrivateDirectory,
  readPrivateFile,
  removePrivateFile,
  writePrivateFile,
} from '@mcp-fittings/toolbox/files';
import {
  asStoreError,
  FileLocks,
  entryName,
  type LockOptions,
  storeError,
} from '@mcp-fittings/toolbox/stores';
import { systemClock } from '@mcp-fittings/toolbox/timing';

/** Format of an entry in its file. */
export interface EntryFormat {
  /** File name extension, with the dot. */
  readonly suffix: string;
  encode(key: string, value: StoredValue): Promise<string>;
  /** Rejects with `STORE_CORRUPT` when the text is not what {@link encode} returned for this key. */
  decode(key: string, text: string): Promise<StoredValue>;
}

/** Directory of the entries, with locks shared by every process that uses it. */
export interface EntryDirectory {
  readonly path: string;
  readonly locks: FileLocks;
}

/** Options that every store of files has. */
export interface StoreDirectoryOptions {
  /** Directory of the store, created with mode 0700 when missing. Each entry is one file in it, mode 0600. */
  readonly path: string;
  /** Time limits of `withLock`: how long it waits, and when a holder that shows no sign of life loses the lock. */
  readonly lock?: LockOptions | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Returns the directory that the options name, and its locks. Throws `CONFIG_INVALID` without a path. */
export function entryDirectory({
  path: given,
  lock,
  clock = systemClock,
}: StoreDirectoryOptions): EntryDirectory {
  if (given === '')
    throw storeError('CONFIG_INVALID', 'The `path` of a store must not be empty.', {
      hint: 'Pass the path of a directory for its files.',
    });
  const path = resolve(given);
  const locks = new FileLocks({
    ...lock,
    directory: join(path, 'locks'),
    // The directory of the locks is inside: if others could write to the outer one, they could replace it.
    prepare: () => ensurePrivateDirectory(path),
    clock,
  });
  return { path, locks };
}

/** The prefix keeps a key of a caller from naming a lock of the store itself. */
const lockName = (key: string): string => `entry ${key}`;

/** Creates a {@link TokenStore} with one private file per entry in a private directory, and one lock per entry below it. */
export function entryFiles(
  options: StoreDirectoryOptions,
  formatFor: (directory: EntryDirectory) => EntryFormat,
): TokenStore {
  const directory = entryDirectory(options);
  const { path, locks } = directory;
  const format = formatFor(directory);
  const fileName = (key: string): string => `${entryName(key)}${format.suffix}`;

  return {
    async get(key) {
      try {
        if (!(await checkPrivateDirectory(path))) return undefined;
        const text = await readPrivateFile(join(path, fileName(key)));
        return text === undefined ? undefined : await format.decode(key, text);
      } catch (error) {
        throw asStoreError(error, `Could not read a credential from ${path}.`);
      }
    },
    async set(key, value) {
      try {
        await ensurePrivateDirectory(path);
        const text = await format.encode(key, value);
        await writePrivateFile(path, fileName(key), text, {
          beforeCommit: () => locks.assertNotLost(lockName(key)),
        });
      } catch (error) {
        throw asStoreError(error, `Could not write a credential to ${path}.`);
      }
    },
    async delete(key) {
      try {
        if (!(await checkPrivateDirectory(path))) return;
        await locks.assertNotLost(lockName(key));
        await removePrivateFile(path, fileName(key));
      } catch (error) {
        throw asStoreError(error, `Could not delete a credential from ${path}.`);
      }
    },
    withLock: (key, work) => locks.run(lockName(key), work),
  };
}

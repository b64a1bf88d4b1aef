import { constants } from 'node:fs';
import { mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { ensurePrivateDirectory, isMarkOfDeadProcess, makeProcessMark } from '@mcp-fittings/toolbox/files';
import { asSpillError } from './spill-error.js';
import type { SpillStore } from './spill-store.js';
import { StoredEntries, type SpillStoreLimits } from './stored-entries.js';

const DEFAULT_MAX_BYTES = 1_000_000_000;
// Windows has neither of the last two; `undefined` counts as 0 there.
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Keeps each result in a file of mode 0600. The files of a process are in a folder of its own, which {@link SpillStore.close}
 * removes; the folder of a process that crashed is removed by the next store that is made with the same `folder`.
 * @param options `maxBytes` is 1 000 000 000 by default.
 * @throws {FittingsError} `CONFIG_INVALID` if a limit is not positive.
 */
export function fileSpillStore(
  options: SpillStoreLimits & {
    /**
     * A folder for this purpose alone. It is created with mode 0700 if it is missing when the store is made, and rejected with `STORE_INSECURE` if other
     * users can read it or replace it. Several processes may share it.
     */
    readonly folder: string;
  },
): SpillStore {
  const { folder } = options;
  /** Files that still take space. */
  const removals = new Set<Promise<unknown>>();
  const entries = new StoredEntries<string>(
    { ...options, maxBytes: options.maxBytes ?? DEFAULT_MAX_BYTES },
    (path) => {
      const removal = unlink(path).catch(() => undefined);
      removals.add(removal);
      void removal.finally(() => removals.delete(removal));
    },
  );
  // If the folder cannot be used, keeping a result says so.
  const leftovers = removeLeftovers(folder).catch(() => undefined);
  let own: Promise<string> | undefined;
  const ownFolder = (): Promise<string> => {
    own ??= makeOwnFolder(folder);
    // The next result tries again.
    own.catch(() => (own = undefined));
    return own;
  };
  // One after another, so that the room that one has made is not used by two.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    put: (key, data, putOptions) =>
      inTurn(async () => {
        entries.makeRoom(data.length);
        await Promise.all([leftovers, ...removals]);
        try {
          const path = join(await ownFolder(), key);
          await writeNew(path, data);
          entries.set(key, path, data.length, putOptions);
        } catch (error) {
          throw asSpillError(error, 'Could not write a result to a file.');
        }
      }),
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      try {
        return await readWhole(entry.content, entry.bytes);
      } catch (error) {
        // It expired or made room in the meantime.
        if (entries.get(key) === undefined) return undefined;
        if (systemErrorCode(error) === 'ENOENT') throw changed('was removed', error);
        throw asSpillError(error, 'Could not read a result from its file.');
      }
    },
    delete: (key) => Promise.resolve(entries.delete(key)),
    close: () =>
      inTurn(async () => {
        entries.clear();
        await leftovers;
        const path = await own?.catch(() => undefined);
        own = undefined;
        if (path !== undefined) await rm(path, { recursive: true, force: true });
      }),
  };
}

async function makeOwnFolder(folder: string): Promise<string> {
  await ensurePrivateDirectory(folder);
  const path = join(folder, await makeProcessMark());
  await mkdir(path, { mode: 0o700 });
  return path;
}

async function writeNew(path: string, data: Uint8Array): Promise<void> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(data);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
}

async function readWhole(path: string, size: number): Promise<Uint8Array> {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size !== size) throw changed('was changed');
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function changed(what: string, cause?: unknown): FittingsError {
  return new FittingsError('SPILL_FAILED', `The file of a result ${what} by another program.`, {
    cause,
    hint: 'Call the tool again, and use a folder that no other program uses.',
    retryable: false,
  });
}

/** Removes the folders of processes that have exited. What is not such a folder stays. */
async function removeLeftovers(folder: string): Promise<void> {
  await ensurePrivateDirectory(folder);
  for (const name of await readdir(folder)) {
    if (await isMarkOfDeadProcess(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

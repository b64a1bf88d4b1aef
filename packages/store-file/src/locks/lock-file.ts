import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { type ProcessIdentity, renameFile } from '@mcp-fittings/toolbox/files';

/**
 * One lock is a directory with exactly one file in it. The name of the file is `free`, or identifies the holder and is
 * never used twice. To take a lock, to release it, and to take it from a dead holder is to rename the file from a name that
 * was seen: of several processes that try at once the file system lets one succeed, and for the others the name no longer
 * exists. Nothing is ever deleted, so no process can delete what another one has just created.
 */
export interface LockFile {
  /** Takes a free lock, or the lock of the given holder. False when another process was faster, or it is not free. */
  take(from?: LockHolder): Promise<boolean>;
  release(): Promise<void>;
  /** Gives a sign of life to the processes that wait. False when this process no longer holds the lock. */
  beat(now: number): Promise<boolean>;
  held(): Promise<boolean>;
  /** The current holder; undefined when the lock is free or does not exist yet. */
  holder(): Promise<LockHolder | undefined>;
  /** Path of a file in the lock that this package did not create, and that blocks it. */
  foreign(): Promise<string | undefined>;
  /** Creates the lock; does nothing when it exists. */
  create(): Promise<void>;
}

export interface LockHolder {
  readonly file: string;
  readonly process: ProcessIdentity;
  /** Changes with each sign of life. */
  readonly lastBeat: number;
}

const FREE = 'free';
const HELD = /^held\.([\da-f]+)\.(\d+)\.(\d+)\.[\da-f]+$/;

/** `parent` must exist; `name` is a plain file name. */
export function createLockFile(parent: string, name: string, own: ProcessIdentity): LockFile {
  const directory = join(parent, name);
  const nonce = randomBytes(8).toString('hex');
  const mine = `held.${own.machine}.${own.pid}.${own.start}.${nonce}`;

  const move = (from: string, to: string): Promise<boolean> =>
    unlessAbsent(() => renameFile(join(directory, from), join(directory, to)));

  return {
    take: (from) => move(from?.file ?? FREE, mine),
    async release() {
      await move(mine, FREE);
    },
    beat: (now) => unlessAbsent(() => utimes(join(directory, mine), now / 1000, now / 1000)),
    held: () => unlessAbsent(() => stat(join(directory, mine))),
    async holder() {
      for (const file of await readdir(directory).catch(emptyIfAbsent)) {
        const [, machine, pid, start] = HELD.exec(file) ?? [];
        if (machine === undefined || pid === undefined || start === undefined) continue;
        const status = await stat(join(directory, file)).catch(undefinedIfAbsent);
        if (status === undefined) continue;
        return { file, process: { machine, pid: Number(pid), start }, lastBeat: status.mtimeMs };
      }
      return undefined;
    },
    async foreign() {
      const files = await readdir(directory).catch(emptyIfAbsent);
      if (files.some((file) => file === FREE || HELD.test(file))) return undefined;
      const [other] = files;
      return other === undefined ? undefined : join(directory, other);
    },
    async create() {
      // The directory appears with the file already in it, and cannot replace one that has a file.
      const draft = join(parent, `.${name}.${nonce}`);
      await mkdir(draft, { mode: 0o700 });
      try {
        await writeFile(join(draft, FREE), '', { mode: 0o600 });
        await rename(draft, directory);
      } catch (error) {
        await rm(draft, { recursive: true, force: true });
        if (!EXISTS.has(systemErrorCode(error))) throw error;
      }
    },
  };
}

/** The error codes of renaming a directory to the name of a directory that is not empty; EPERM on Windows. */
const EXISTS = new Set<string | undefined>(['ENOTEMPTY', 'EEXIST', 'EPERM']);

async function unlessAbsent(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function undefinedIfAbsent(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

function emptyIfAbsent(error: unknown): string[] {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
  return [];
}

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../errors/system-errors.js';
import { renameFile } from '../../files/rename-file.js';
import type { ProcessIdentity } from '../../files/process-identity.js';

export interface LockHolder {
  readonly file: string;
  readonly process: ProcessIdentity;
  /** Changes with each sign of life. */
  readonly lastBeat: number;
}

const FREE = 'free';
const HELD = /^held\.([\da-f]+)\.(\d+)\.(\d+)\.[\da-f]+$/;

/**
 * One lock is a directory with exactly one file in it. The name of the file is `free`, or identifies the holder and is
 * never used twice. To take a lock, to release it, and to take it from a dead holder is to rename the file from a name that
 * was seen: of several processes that try at once the file system lets one succeed, and for the others the name no longer
 * exists. Nothing is ever deleted, so no process can delete what another one has just created.
 */
export class LockFile {
  readonly #directory: string;
  readonly #mine: string;
  readonly #draft: string;

  /** `parent` must exist; `name` is a plain file name. */
  constructor(parent: string, name: string, own: ProcessIdentity) {
    const nonce = randomBytes(8).toString('hex');
    this.#directory = join(parent, name);
    this.#mine = `held.${own.machine}.${own.pid}.${own.start}.${nonce}`;
    this.#draft = join(parent, `.${name}.${nonce}`);
  }

  /** Takes a free lock, or the lock of the given holder. False when another process was faster, or it is not free. */
  take(from?: LockHolder): Promise<boolean> {
    return this.#move(from?.file ?? FREE, this.#mine);
  }

  async release(): Promise<void> {
    await this.#move(this.#mine, FREE);
  }

  /** Gives a sign of life to the processes that wait. False when this process no longer holds the lock. */
  beat(now: number): Promise<boolean> {
    return unlessAbsent(() => utimes(join(this.#directory, this.#mine), now / 1000, now / 1000));
  }

  held(): Promise<boolean> {
    return unlessAbsent(() => stat(join(this.#directory, this.#mine)));
  }

  /** Resolves with the current holder; undefined when the lock is free or does not exist yet. */
  async holder(): Promise<LockHolder | undefined> {
    for (const file of await readdir(this.#directory).catch(emptyIfAbsent)) {
      const [, machine, pid, start] = HELD.exec(file) ?? [];
      if (machine === undefined || pid === undefined || start === undefined) continue;
      const status = await stat(join(this.#directory, file)).catch(undefinedIfAbsent);
      if (status === undefined) continue;
      return { file, process: { machine, pid: Number(pid), start }, lastBeat: status.mtimeMs };
    }
    return undefined;
  }

  /** Resolves with the path of a file in the lock that this package did not create, and that blocks it. */
  async foreign(): Promise<string | undefined> {
    const files = await readdir(this.#directory).catch(emptyIfAbsent);
    if (files.some((file) => file === FREE || HELD.test(file))) return undefined;
    const [other] = files;
    return other === undefined ? undefined : join(this.#directory, other);
  }

  /** Creates the lock; does nothing when it exists. */
  async create(): Promise<void> {
    // The directory appears with the file already in it, and cannot replace one that has a file.
    await mkdir(this.#draft, { mode: 0o700 });
    try {
      await writeFile(join(this.#draft, FREE), '', { mode: 0o600 });
      await rename(this.#draft, this.#directory);
    } catch (error) {
      await rm(this.#draft, { recursive: true, force: true });
      if (!EXISTS.has(systemErrorCode(error))) throw error;
    }
  }

  #move(from: string, to: string): Promise<boolean> {
    return unlessAbsent(() => renameFile(join(this.#directory, from), join(this.#directory, to)));
  }
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

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renameFile, systemErrorCode } from '@mcp-fittings/client-core/files';
import type { ProcessIdentity } from './process-identity.js';

/**
 * One lock = one directory with exactly one file in it, the token. Its name is `free`, or says who holds it and is
 * never used twice. Taking, releasing and taking over are renames of that file from a name that was seen, so of many
 * who try the same, the file system lets one succeed, and whoever was too late finds no such name. Nothing is ever
 * removed, therefore nobody can remove what another one has just made.
 */
export interface LockToken {
  /** Takes a free lock, or the lock from the holder that was seen. False: somebody was faster, or it is not free. */
  take(from?: SeenHolder): Promise<boolean>;
  release(): Promise<void>;
  /** A sign of life for those who wait. False: this one does not hold the lock any more. */
  beat(now: number): Promise<boolean>;
  held(): Promise<boolean>;
  /** Who holds it now; undefined when it is free or does not exist yet. */
  holder(): Promise<SeenHolder | undefined>;
  /** Path of a file in the lock that no version of this package has made, and that keeps it from working. */
  foreign(): Promise<string | undefined>;
  /** Makes the lock where there is none; harmless where there is one. */
  create(): Promise<void>;
}

export interface SeenHolder {
  readonly file: string;
  readonly process: ProcessIdentity;
  /** Changes with each sign of life. */
  readonly lastBeat: number;
}

const FREE = 'free';
const HELD = /^held\.([\da-f]+)\.(\d+)\.(\d+)\.[\da-f]+$/;

/** `parent` has to exist; `name` is a plain file name. */
export function createLockToken(parent: string, name: string, own: ProcessIdentity): LockToken {
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
        const facts = await stat(join(directory, file)).catch(undefinedIfAbsent);
        if (facts === undefined) continue;
        return { file, process: { machine, pid: Number(pid), start }, lastBeat: facts.mtimeMs };
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
      // A directory with the token already in it comes into being at once, and can not replace one that has a token.
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

/** What systems say when a directory is moved to where one with a file in it stands; EPERM is how Windows says it. */
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

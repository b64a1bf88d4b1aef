import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectId } from './project-id.js';

/** The folder whose files count as the project's, and the name under which decisions about it are kept. */
export interface Project {
  /** Real path. */
  readonly root: string;
  /** The same for every worktree of a repository and every spelling of a path. */
  readonly id: string;
  /** The ways in which other files may spell the root. */
  readonly spellings: readonly string[];
  /** Users whose files may speak for the project; undefined where the system has no owners. */
  readonly owners: readonly number[] | undefined;
}

export interface FindProjectOptions {
  readonly cwd: string;
  /** Real path. */
  readonly home: string;
  /** Files, relative to a folder, that make it the root of a project; `.git` always does. */
  readonly markers: readonly string[];
  /** Look in the folders above `cwd` too. */
  readonly searchParents: boolean;
  readonly platform: NodeJS.Platform;
  /** Users whose folders may be searched. Default: this one, the owner of `cwd`, and root. */
  readonly owners?: readonly number[] | undefined;
}

/**
 * The nearest folder, from `cwd` upwards, that holds a marker or `.git`; else `cwd`. The search never enters the home
 * directory, the root of the file system, a folder of another user, or one that anybody may write to: whoever can put
 * a file there could otherwise speak for every project below.
 */
export async function findProject(options: FindProjectOptions): Promise<Project> {
  const { cwd, markers, platform } = options;
  const start = await realpath(cwd);
  const owners = options.owners ?? (await acceptedOwners(start));
  const folders = options.searchParents ? await searchable(start, options.home, owners) : [start];
  let root = start;
  for (const folder of folders) {
    if (await holdsAny(folder, [...markers, '.git'])) {
      root = folder;
      break;
    }
  }
  const id = await projectId({
    root,
    folders: await searchable(root, options.home, owners),
    platform,
  });
  const spellings = [root, ...(root === start ? [cwd] : []), root.replaceAll('\\', '/')];
  return { root, id, spellings: [...new Set(spellings)], owners };
}

/** A folder and those above it, nearest first, as far as the search may go. */
async function searchable(
  start: string,
  home: string,
  owners: readonly number[] | undefined,
): Promise<string[]> {
  const folders = [start];
  for (let folder = start; folder !== home;) {
    const parent = dirname(folder);
    if (parent === home || parent === dirname(parent)) break;
    const { uid, mode } = await stat(parent);
    if (owners !== undefined && (!owners.includes(uid) || (mode & 0o002) !== 0)) break;
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

async function acceptedOwners(start: string): Promise<readonly number[] | undefined> {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  // Root can do anything anyway, so what is root's is no new danger.
  return [self, (await stat(start)).uid, 0];
}

/** Whether a folder holds one of these files or folders. */
export async function holdsAny(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    try {
      await lstat(join(folder, name));
      return true;
    } catch {
      // Not there, or not ours to see: the next name decides.
    }
  }
  return false;
}

import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectId } from './project-id.js';

/** The project that was found: the folder whose files have the scope `project`. */
export interface Project {
  /** Real path of the root folder. */
  readonly root: string;
  /** Key under which approvals are stored. The same for all worktrees of a repository and all spellings of a path. */
  readonly id: string;
  /** Spellings of {@link root} under which a file may list the project (`{project}` in a {@link Layout}). */
  readonly spellings: readonly string[];
  /** Ids of the users whose files are read as the project's; undefined if the system has no file owners. */
  readonly owners: readonly number[] | undefined;
}

export interface FindProjectOptions {
  readonly cwd: string;
  /** Real path of the home directory. */
  readonly home: string;
  /** Relative paths of files that make a folder the root of a project. `.git` always does. */
  readonly markers: readonly string[];
  /** If true, the folders above `cwd` are searched too. */
  readonly searchParents: boolean;
  readonly platform: NodeJS.Platform;
  /** Ids of the users whose folders may be searched. Default: the current user, the owner of `cwd`, and root. */
  readonly owners?: readonly number[] | undefined;
}

/**
 * Finds the nearest folder, from `cwd` upwards, that contains a marker or `.git`; else `cwd`. The search never enters the
 * home directory, the root of the file system, a folder of another user, or one that all users may write to: anyone who
 * can create a file there could otherwise configure every project below it.
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

/** The folder and the folders above it that may be searched, nearest first. */
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
  // Root can write everywhere, so trusting root's files adds no risk.
  return [self, (await stat(start)).uid, 0];
}

/** Returns true if a folder contains one of these files or folders. */
export async function holdsAny(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    try {
      await lstat(join(folder, name));
      return true;
    } catch {
      // Absent or not readable: the next name decides.
    }
  }
  return false;
}

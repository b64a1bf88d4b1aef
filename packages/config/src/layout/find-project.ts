import { createHash } from 'node:crypto';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isInside, readTextFile } from '../files/read-file.js';

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

/**
 * Finds the nearest folder, from `cwd` upwards, that contains a marker or `.git`; else `cwd`. The search never enters the
 * home directory, the root of the file system, a folder of another user, or one that all users may write to: anyone who
 * can create a file there could otherwise configure every project below it.
 */
export async function findProject(options: {
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
}): Promise<Project> {
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
  const id = await projectId(root, await searchable(root, options.home, owners), platform);
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

/**
 * Returns an id that all worktrees of a repository share. A worktree counts only if the repository points back at it, so
 * that an unpacked archive cannot pretend to be a project that was approved. `folders` are the project and those above it
 * that may contain its `.git`, nearest first.
 */
async function projectId(
  root: string,
  folders: readonly string[],
  platform: NodeJS.Platform,
): Promise<string> {
  for (const top of folders) {
    const dotGit = join(top, '.git');
    const kind = await stat(dotGit).catch(() => undefined);
    if (kind === undefined) continue;
    const main = kind.isFile() ? await mainFolder(dotGit) : undefined;
    return pathId(main === undefined ? root : join(main, relative(top, root)), platform);
  }
  return pathId(root, platform);
}

/** The id of a path. It ignores case on platforms whose file systems usually do. */
export function pathId(path: string, platform: NodeJS.Platform): string {
  const folded = platform === 'win32' || platform === 'darwin' ? path.normalize('NFC').toLowerCase() : path;
  const spelled = platform === 'win32' ? folded.replaceAll('\\', '/') : folded;
  return createHash('sha256').update(spelled).digest('hex').slice(0, 32);
}

/** The main working tree of the repository that a worktree's `.git` file belongs to. */
async function mainFolder(dotGit: string): Promise<string | undefined> {
  const pointer = /^gitdir: (.+)$/m.exec((await readLine(dotGit)) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  const administration = isAbsolute(pointer) ? pointer : resolve(dirname(dotGit), pointer);
  const backPointer = await readLine(join(administration, 'gitdir'));
  const common = await readLine(join(administration, 'commondir'));
  if (backPointer === undefined || common === undefined) return undefined;
  try {
    const repository = await realpath(resolve(administration, common));
    const belongs = isInside(await realpath(administration), join(repository, 'worktrees'));
    const pointsBack = (await realpath(resolve(administration, backPointer))) === (await realpath(dotGit));
    // A bare repository has no working tree, so the repository itself stands for it.
    return belongs && pointsBack ? repository.replace(/[/\\]\.git$/, '') : undefined;
  } catch {
    return undefined;
  }
}

async function readLine(path: string): Promise<string | undefined> {
  const outcome = await readTextFile(path, { maxBytes: 4096 });
  return outcome.kind === 'text' ? outcome.text.trim() : undefined;
}

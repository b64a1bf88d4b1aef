import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { printable } from '../display-text.js';
import { isInside, resolveLinks } from '../files/read-file.js';
import { findProject, holdsAny, type Project } from './find-project.js';
import { type FileSource, type Layout, absolutePath, systemDirectory, type Directories } from './layout.js';

/**
 * Places where the files of a layout are looked for. No environment variable changes them, because a project's `.env` could set it; the
 * only exception is the default of `home`, which follows `HOME`.
 */
export interface LocationOptions {
  /** Names the files to look for: one of {@link layouts}, or your own ({@link defineLayout}). */
  readonly layout: Layout;
  /** A folder of the project. It must exist. Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** The user's home directory. Default: `os.homedir()`; if that is inside the project, the account's home directory. */
  readonly home?: string | undefined;
  /**
   * If true, the project's root is looked for in the folders above `cwd` too. The search never enters the home directory, the root of the
   * file system, or a folder that another user can write to. Default: true.
   */
  readonly searchParents?: boolean | undefined;
  /** Platform whose paths and directories are used. Default: `process.platform`. */
  readonly platform?: NodeJS.Platform | undefined;
}

export interface FileLocations {
  readonly project: Project;
  readonly directories: Directories;
  /** The home directory that `HOME` names and that is not used, because it is inside the project. */
  readonly refusedHome: string | undefined;
  readonly sources: readonly { readonly source: FileSource; readonly path: string }[];
}

/** Finds the project and the absolute paths of the layout's files. */
export async function locateFiles(options: LocationOptions): Promise<FileLocations> {
  const { layout, platform = process.platform } = options;
  const { project, home, refusedHome } = await projectAndHome(options);
  const system = systemDirectory(layout, platform);
  const directories = { home, project: project.root, system };
  const own = layout.sources
    .filter(({ base }) => base === 'home')
    .map((source) => absolutePath(source, directories, platform));
  const sources = layout.sources.flatMap((source) => {
    const path = absolutePath(source, directories, platform);
    // If the project is the home directory, its files are the user's own.
    return path === undefined || (source.base === 'project' && own.includes(path)) ? [] : [{ source, path }];
  });
  return { project, directories, refusedHome, sources };
}

/**
 * Resolves to the home directory that {@link loadConfig} uses with the same options: {@link LocationOptions.home}, else
 * `os.homedir()`, else (if that is inside the project) the account's home directory. Pass it to everything that stores or
 * reads data of the user, so that one run uses one home directory. Rejects with `CONFIG_INVALID` if `cwd` does not exist.
 *
 * @example
 * ```ts
 * const home = await homeDirectory({ layout: layouts.claude });
 * const approvals = createServerApprovals({ store: createFileApprovalStore({ home }) });
 * ```
 */
export async function homeDirectory(options: LocationOptions): Promise<string> {
  return (await projectAndHome(options)).home;
}

interface ProjectAndHome {
  readonly project: Project;
  readonly home: string;
  readonly refusedHome: string | undefined;
}

async function projectAndHome(options: LocationOptions): Promise<ProjectAndHome> {
  const { layout, cwd = process.cwd(), searchParents = true, platform = process.platform } = options;
  const markers = layout.sources.filter(({ base }) => base === 'project').map(({ path }) => path);
  const find = async (path: string, refusedHome?: string): Promise<ProjectAndHome> => {
    const home = await resolveLinks(resolve(path));
    try {
      const project = await findProject({ cwd, home, markers, searchParents, platform });
      return { home, project, refusedHome };
    } catch (cause) {
      const message = `The project folder ${printable(cwd)} does not exist or cannot be read.`;
      throw new FittingsError('CONFIG_INVALID', message, { cause });
    }
  };
  if (options.home !== undefined) return find(options.home);
  const found = await find(homedir());
  // Files that the layout keeps in a home directory do not make it a project.
  const own = layout.sources.filter(({ base }) => base === 'home').map(({ path }) => path);
  const foreign = markers.filter((path) => !own.includes(path));
  const trusted = await trustedHome(found.home, found.project.root, foreign);
  return trusted === found.home ? found : find(trusted, found.home);
}

/** Files that set variables for programs that are started in their folder. */
const SETTERS = ['.env', '.envrc', '.env.local', 'mise.toml', '.mise.toml', '.vscode/settings.json'];

/**
 * `os.homedir()` follows `HOME`. A project could set that variable and bring the directory, so a home directory inside the
 * project is replaced by the account's. A folder without `.git`, configuration or a file that sets variables could not
 * have done that; `/` and the home directory of a container are examples.
 */
export async function trustedHome(home: string, root: string, markers: readonly string[]): Promise<string> {
  const account = accountHome();
  if (account === undefined || home === (await resolveLinks(resolve(account)))) return home;
  if (!isInside(home, root)) return home;
  return (await holdsAny(root, ['.git', ...markers, ...SETTERS])) ? account : home;
}

/** The home directory of the account, which no variable changes; undefined if the account has no entry. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

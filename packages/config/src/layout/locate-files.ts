import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { isInside, resolveLinks } from '../files/read-file.js';
import {
  type FileSource,
  type Layout,
  absolutePath,
  defaultSystemDirectory,
  type Directories,
} from './layout.js';
import { findProject, holdsAny, type Project } from './find-project.js';

/**
 * Where a layout's files are looked for. No variable of the environment moves a place, because a project's `.env` could
 * set it; only the home directory is what the system says, which may follow `HOME`.
 */
export interface LocationOptions {
  readonly layout: Layout;
  /** A folder of the project. Default: the process's. */
  readonly cwd?: string | undefined;
  /** Default: the operating system's answer; never a folder of the project that a variable points to. */
  readonly home?: string | undefined;
  /** In place of the layout's directory of administrator's files. */
  readonly systemDirectory?: string | undefined;
  /** Look for the project in the folders above `cwd` too. Default true. */
  readonly searchParents?: boolean | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface FileLocations {
  readonly project: Project;
  readonly directories: Directories;
  /** The home directory that a variable names and that is not used, because it lies in the project. */
  readonly refusedHome: string | undefined;
  readonly sources: readonly { readonly source: FileSource; readonly path: string }[];
}

/** The project, and the absolute paths of a layout's files for it. */
export async function locateFiles(options: LocationOptions): Promise<FileLocations> {
  const { layout, platform = process.platform } = options;
  const { project, home, refusedHome } = await projectAndHome(options);
  const system = options.systemDirectory ?? defaultSystemDirectory(layout, platform);
  const directories = { home, project: project.root, system };
  const own = layout.sources
    .filter(({ base }) => base === 'home')
    .map((source) => absolutePath(source, directories, platform));
  const sources = layout.sources.flatMap((source) => {
    const path = absolutePath(source, directories, platform);
    // In the home directory the project's files are the person's own.
    return path === undefined || (source.base === 'project' && own.includes(path)) ? [] : [{ source, path }];
  });
  return { project, directories, refusedHome, sources };
}

/**
 * The home directory that {@link LocationOptions} lead to: `home`, else the operating system's answer, else (where that is
 * a folder of the project) the account's. Give it to everything that keeps or reads something of the user, so that one
 * run has one home directory. Rejects with `CONFIG_INVALID` if `cwd` does not exist.
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
      const message = 'The folder of the project does not exist or cannot be read.';
      throw new FittingsError('CONFIG_INVALID', message, { cause });
    }
  };
  if (options.home !== undefined) return find(options.home);
  const found = await find(homedir());
  // What a home directory has of its own makes no project of it.
  const own = layout.sources.filter(({ base }) => base === 'home').map(({ path }) => path);
  const foreign = markers.filter((path) => !own.includes(path));
  const trusted = await trustedHome(found.home, found.project.root, foreign);
  return trusted === found.home ? found : find(trusted, found.home);
}

/** Files that set variables for whatever is started in their folder. */
const SETTERS = ['.env', '.envrc', '.env.local', 'mise.toml', '.mise.toml', '.vscode/settings.json'];

/**
 * A variable decides what the home directory is. A project could have set it and brought the directory: then the
 * account's counts. A folder without `.git`, configuration or a file that sets variables is not a project that could
 * have done so, for instance `/`, or the home directory of a container.
 */
export async function trustedHome(home: string, root: string, markers: readonly string[]): Promise<string> {
  const account = accountHome();
  if (account === undefined || home === (await resolveLinks(resolve(account)))) return home;
  if (!isInside(home, root)) return home;
  return (await holdsAny(root, ['.git', ...markers, ...SETTERS])) ? account : home;
}

/** The home directory that the account has, whatever variables say; undefined for an account without entry. */
function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

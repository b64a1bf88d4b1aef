import { homedir, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { isInside, resolvedPath } from '../files/read-file.js';
import type { FileSource, Layout } from '../layout/layout.js';
import { absolutePath, systemDirectoryOf, type Directories } from '../layout/places.js';
import { findProject, type Project } from '../project/find-project.js';

/**
 * Where a layout's files are looked for. No variable of the environment moves a place, because a project's `.env` could
 * set it; only the home directory is what the system says, which may follow `HOME`.
 */
export interface PlaceOptions {
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

export interface Located {
  readonly project: Project;
  readonly directories: Directories;
  readonly sources: readonly { readonly source: FileSource; readonly path: string }[];
}

/** The project, and the absolute paths of a layout's files for it. */
export async function locate(options: PlaceOptions): Promise<Located> {
  const { layout, platform = process.platform } = options;
  const { project, home } = await projectAndHome(options);
  const system = options.systemDirectory ?? systemDirectoryOf(layout, platform);
  const directories = { home, project: project.root, system };
  const own = layout.sources
    .filter(({ base }) => base === 'home')
    .map((source) => absolutePath(source, directories, platform));
  const sources = layout.sources.flatMap((source) => {
    const path = absolutePath(source, directories, platform);
    // In the home directory the project's files are the person's own.
    return path === undefined || (source.base === 'project' && own.includes(path)) ? [] : [{ source, path }];
  });
  return { project, directories, sources };
}

async function projectAndHome(options: PlaceOptions): Promise<{ project: Project; home: string }> {
  const { layout, cwd = process.cwd(), searchParents = true, platform = process.platform } = options;
  const markers = layout.sources.filter(({ base }) => base === 'project').map(({ path }) => path);
  const find = async (path: string): Promise<{ project: Project; home: string }> => {
    const home = await resolvedPath(resolve(path));
    try {
      return { home, project: await findProject({ cwd, home, markers, searchParents, platform }) };
    } catch (cause) {
      const message = 'The folder of the project does not exist or can not be read.';
      throw new FittingsError('CONFIG_INVALID', message, { cause });
    }
  };
  if (options.home !== undefined) return find(options.home);
  const found = await find(homedir());
  // A variable decides what the home directory is. A project could have set it, and brought the directory.
  const account = accountHome();
  const suspicious =
    account !== undefined && resolve(homedir()) !== account && isInside(found.home, found.project.root);
  return suspicious ? find(account) : found;
}

/** The home directory that the account has, whatever variables say; undefined for an account without entry. */
export function accountHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}

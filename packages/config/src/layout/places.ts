import { posix, win32 } from 'node:path';
import type { BaseDirectory, Layout } from './layout.js';

/** The directories that paths of a layout begin in. */
export interface Directories {
  readonly home: string;
  readonly project: string;
  /** Undefined for a layout without files of an administrator. */
  readonly system: string | undefined;
}

/** The administrator's directory of a layout on a platform; those that are neither Windows nor macOS are like Linux. */
export function systemDirectoryOf(layout: Layout, platform: NodeJS.Platform): string | undefined {
  const known = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
  return layout.systemDirectory?.[known];
}

/** The absolute path of a file of a layout; undefined when its base is not known. */
export function absolutePath(
  source: { readonly base: BaseDirectory; readonly path: string },
  directories: Directories,
  platform: NodeJS.Platform,
): string | undefined {
  const directory = directories[source.base];
  if (directory === undefined) return undefined;
  return (platform === 'win32' ? win32 : posix).join(directory, ...source.path.split('/'));
}

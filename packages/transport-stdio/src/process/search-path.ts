import { posix, win32 } from 'node:path';
import { variable, type Environment } from './variable.js';

/** What a POSIX system searches when there is no PATH. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * The folders of a PATH. Empty parts, `.` and every other relative part mean "where the host happens to be": a folder
 * that a stranger may have filled, so they are left out.
 */
function foldersOf(path: string, platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') return path.split(posix.delimiter).filter((folder) => folder.startsWith('/'));
  return path
    .split(win32.delimiter)
    .map((folder) => folder.trim().replaceAll('"', ''))
    .filter(isWholeWindowsPath);
}

/** The folders that are searched for a command of this environment. */
export function searchedFolders(env: Environment, platform: NodeJS.Platform): string[] {
  const path = variable(env, 'PATH', platform);
  return foldersOf(path ?? (platform === 'win32' ? '' : DEFAULT_PATH), platform);
}

/** A PATH for the server, which starts programs too. Never empty: that would mean the current folder. */
export function cleanPath(path: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return foldersOf(path, platform).join(win32.delimiter);
  const clean = foldersOf(path, platform).join(posix.delimiter);
  return clean === '' ? DEFAULT_PATH : clean;
}

/** With a drive and a root, or of a share: `C:x` and `\x` depend on where the host happens to be. */
function isWholeWindowsPath(path: string): boolean {
  return /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(path);
}

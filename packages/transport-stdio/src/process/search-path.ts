import { posix, win32 } from 'node:path';

/** Directories that a POSIX system searches when PATH is not set. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * Returns the absolute directories of a PATH. Empty parts, `.` and other relative parts depend on the working directory,
 * which may contain files from a stranger, so they are left out.
 */
function absoluteFolders(path: string, platform: NodeJS.Platform): string[] {
  if (platform !== 'win32') return path.split(posix.delimiter).filter((folder) => folder.startsWith('/'));
  return path
    .split(win32.delimiter)
    .map((folder) => folder.trim().replaceAll('"', ''))
    .filter(isAbsoluteWindowsPath);
}

/** Returns the directories that are searched for a command in this environment. */
export function searchedFolders(env: Environment, platform: NodeJS.Platform): string[] {
  const path = variable(env, 'PATH', platform);
  return absoluteFolders(path ?? (platform === 'win32' ? '' : DEFAULT_PATH), platform);
}

/** Returns a PATH for the server, which starts programs too. Never empty: that would mean the working directory. */
export function cleanPath(path: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return absoluteFolders(path, platform).join(win32.delimiter);
  const clean = absoluteFolders(path, platform).join(posix.delimiter);
  return clean === '' ? DEFAULT_PATH : clean;
}

/** With a drive and a root, or on a share: `C:x` and `\x` depend on the working directory. */
function isAbsoluteWindowsPath(path: string): boolean {
  return /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(path);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable as the lookup of the platform finds it. */
export function variable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

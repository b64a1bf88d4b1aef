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
  const path = environmentVariable(env, 'PATH', platform);
  return absoluteFolders(path ?? (platform === 'win32' ? '' : DEFAULT_PATH), platform);
}

/**
 * Returns the environment of a program that looks for programs itself, as shells, `npx` and `xdg-open` do: its PATH has the absolute
 * directories only, so that it does not find those of the working directory either.
 */
export function withSafeSearch(env: Environment, platform: NodeJS.Platform): Record<string, string> {
  const isPath = (name: string): boolean => (platform === 'win32' ? name.toUpperCase() : name) === 'PATH';
  const result: Record<string, string> =
    platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined) result[name] = isPath(name) ? cleanPath(value, platform) : value;
  }
  return result;
}

function cleanPath(path: string, platform: NodeJS.Platform): string {
  const clean = absoluteFolders(path, platform).join(
    platform === 'win32' ? win32.delimiter : posix.delimiter,
  );
  // An empty PATH of POSIX means the working directory.
  return clean === '' && platform !== 'win32' ? DEFAULT_PATH : clean;
}

/** With a drive and a root, or on a share: `C:x` and `\x` depend on the working directory. */
function isAbsoluteWindowsPath(path: string): boolean {
  return /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(path);
}

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the value of a variable as the lookup of the platform finds it. */
export function environmentVariable(
  env: Environment,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32') return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

import { stat, realpath } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { delimiter, isAbsolute, resolve, sep } from 'node:path';
import { isatty } from 'node:tty';
import type { Clock } from '@mcp-fittings/client-core';
import { searchedFolders, type Environment } from '@mcp-fittings/toolbox/programs';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { keptPath } from './kept-path.js';
import { knownFolders } from './known-folders.js';
import { askLoginShell } from './login-shell.js';

/** Options of {@link desktopEnvironment}. */
export interface DesktopEnvironmentOptions {
  /** The home directory, with the startup files of the shell. Default: `os.homedir()`. */
  readonly home?: string | undefined;
  /** Root of the project. Folders in it are not searched, unless it contains the home directory. Default: none. */
  readonly project?: string | undefined;
  /** The environment of this program. Default: `process.env`. */
  readonly env?: Environment | undefined;
  /**
   * True if a terminal started this program. Default: true if one of the standard streams is a terminal, or `TERM` is set, which a program
   * inherits from its terminal even if its streams go elsewhere; also with `CI`, where no person has set up a shell.
   */
  readonly terminal?: boolean | undefined;
  /** Absolute path of the login shell. Default: that of the account, and not `SHELL`, which a project's `.env` could set. */
  readonly shell?: string | undefined;
  /** Clock of the time limit, 5 seconds, and of the day. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The environment of a program that a desktop started, with a longer PATH. */
export interface DesktopEnvironment {
  /** The environment: pass it to `stdio()` as `parentEnv`. */
  readonly env: Readonly<Record<string, string>>;
  /** Source of its PATH: the login shell, or the folders that Homebrew and version managers use by default. */
  readonly source: 'login shell' | 'known folders';
}

/**
 * Resolves with an environment in which the servers of a desktop program find `npx`, `uvx` and `node`: its PATH has the folders that the login
 * shell of the user adds, first. The Finder, the Dock and the launchers of Linux start programs without them. The shell is asked once a day,
 * and again when its startup files have changed. Resolves with undefined, and starts nothing, if a terminal started this program, and on Windows,
 * where a desktop knows the whole PATH. Never rejects: without an answer of the shell, the PATH has folders of nvm, Homebrew, uv, asdf,
 * mise, volta and pyenv, if they exist.
 *
 * @example
 * ```ts
 * const desktop = await desktopEnvironment();
 * const host = createHost({ name, version, transports: [stdio({ parentEnv: desktop?.env })] });
 * ```
 */
export async function desktopEnvironment(
  options: DesktopEnvironmentOptions = {},
): Promise<DesktopEnvironment | undefined> {
  const { home = homedir(), env = process.env, clock = systemClock } = options;
  if (process.platform === 'win32' || (options.terminal ?? isStartedByTerminal(env))) return undefined;
  const outside = await outsideOf(options.project, home);
  const own = await outside(searchedFolders(env, process.platform));
  const { shell = accountShell() } = options;
  let source: DesktopEnvironment['source'] = 'login shell';
  let found: readonly string[] = [];
  if (shell !== undefined && isAbsolute(shell) && (await isOwn(home))) {
    const asked = { shell, home, env: shellEnvironment(env, { home, shell, own }), clock };
    const ask = (): Promise<string | undefined> => askLoginShell(asked).catch(() => undefined);
    const path = await keptPath({ home, shell, inherited: own.join(delimiter), clock }, ask);
    found = path === undefined ? [] : await outside(foldersOf(path));
  }
  if (found.length === 0) {
    source = 'known folders';
    found = await existing(await outside(await knownFolders(home)));
  }
  const path = [...new Set([...found, ...own])];
  if (path.length === own.length && path.every((folder, index) => folder === own[index])) return undefined;
  const others = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return { env: { ...Object.fromEntries(others), PATH: path.join(delimiter) }, source };
}

function isStartedByTerminal(env: Environment): boolean {
  return env['TERM'] !== undefined || env['CI'] !== undefined || [0, 1, 2].some((stream) => isatty(stream));
}

/** Startup files of another user do not run with the rights of this one, as they would after `sudo`. */
function isOwn(home: string): Promise<boolean> {
  return stat(home).then(
    ({ uid }) => uid === process.geteuid?.(),
    () => false,
  );
}

function accountShell(): string | undefined {
  try {
    return userInfo().shell ?? undefined;
  } catch {
    // The account has no entry.
    return undefined;
  }
}

function shellEnvironment(
  env: Environment,
  { home, shell, own }: { home: string; shell: string; own: readonly string[] },
): Record<string, string> {
  const kept = ['USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TMPDIR'].flatMap(
    (name): [string, string][] => (env[name] === undefined ? [] : [[name, env[name]]]),
  );
  // Oh My Zsh would ask whether to update itself.
  const quiet = { DISABLE_AUTO_UPDATE: 'true' };
  return { ...Object.fromEntries(kept), HOME: home, SHELL: shell, PATH: own.join(delimiter), ...quiet };
}

const MAX_FOLDERS = 500;

/** Returns the absolute folders of what a shell printed. */
function foldersOf(path: string): readonly string[] {
  return [...new Set(searchedFolders({ PATH: path }, process.platform))]
    .filter((folder) => !/[\p{Cc}\ufffd]/u.test(folder))
    .slice(0, MAX_FOLDERS);
}

/** Returns a filter for folders that are not in the project, under their name or behind a link. */
async function outsideOf(
  project: string | undefined,
  home: string,
): Promise<(folders: readonly string[]) => Promise<readonly string[]>> {
  if (project === undefined) return async (folders) => folders;
  const root = await realOf(project);
  // As with a home directory that is kept in a repository: all that the user has is in there.
  if (isInside(await realOf(home), root)) return async (folders) => folders;
  return async (folders) => {
    const real = await Promise.all(folders.map(realOf));
    return folders.filter((folder, index) => {
      const places = [resolve(folder), real[index] ?? folder];
      return !places.some((place) => isInside(place, root) || isInside(place, project));
    });
  };
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}

async function existing(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map((folder) =>
      stat(folder).then(
        (entry) => entry.isDirectory(),
        () => false,
      ),
    ),
  );
  return folders.filter((_, index) => found[index]);
}

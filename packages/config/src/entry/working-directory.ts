import { posix, win32 } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import type { Definition } from './definition.js';

/** Folders that the rule of {@link resolveEntryPaths} chooses from, as absolute paths. */
export interface BaseFolders {
  readonly home: string;
  readonly project: string;
}

/**
 * The one rule for where an entry's program is found and where it starts:
 *
 * - An entry that came with the project, once approved, belongs to the root of the project: its relative `command` and
 *   `cwd` are resolved against it, and it starts there.
 * - Every other entry starts in the person's home directory unless it sets `cwd`, because programs such as `npx` run
 *   what they find in the folder they start in. Its relative `command` and `cwd` are resolved against the folder of the
 *   file that defines it. For JSON on the command line that is the caller's working directory; for values from the host
 *   or a service it is the home directory.
 *
 * A `command` without a separator is a name and is left for the `PATH`. Returns the entry with an absolute `command` and
 * `cwd`; applying it twice changes nothing more.
 */
export function resolveEntryPaths(
  config: ServerConfig,
  origin: Pick<Definition['origin'], 'trusted' | 'folder'>,
  { home, project }: BaseFolders,
  platform: NodeJS.Platform,
): ServerConfig {
  const path = platform === 'win32' ? win32 : posix;
  const base = origin.trusted ? (origin.folder ?? home) : project;
  const start = origin.trusted ? home : project;
  const { command, cwd } = config;
  const runsHere = config.type === 'stdio' && typeof command === 'string';
  const cwdIsSet = typeof cwd === 'string' && cwd !== '';
  return {
    ...config,
    ...(runsHere && isCommandPath(command, platform) && { command: absolute(path, base, command) }),
    ...(cwdIsSet ? { cwd: absolute(path, base, cwd) } : runsHere && { cwd: start }),
  };
}

/** Whether a command names a file instead of something to be found on the `PATH`. */
export function isCommandPath(command: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? /[/\\:]/.test(command) : command.includes('/');
}

function absolute(path: typeof posix, base: string, written: string): string {
  // A path such as `C:x` would be looked up from whatever folder the process has on that drive.
  const onDrive = path === win32 ? /^([A-Za-z]:)(?![/\\])(.*)$/s.exec(written) : null;
  if (onDrive === null) return path.resolve(base, written);
  const [, drive = '', rest = ''] = onDrive;
  const sameDrive = base.toLowerCase().startsWith(drive.toLowerCase());
  return sameDrive ? path.resolve(base, rest) : path.resolve(`${drive}\\`, rest);
}

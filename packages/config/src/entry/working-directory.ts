import { posix, win32 } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';
import { PATH_HINT } from '../jsonc/parse-document.js';
import type { JsonObject } from '../jsonc/json-value.js';
import type { EntryIssue } from '../problems.js';
import type { Definition } from './definition.js';

/** The folders in which servers start, as absolute paths. */
export interface BaseFolders {
  readonly home: string;
  readonly project: string;
}

/**
 * Resolves the `command` and `cwd` of an entry to absolute paths:
 *
 * - A server of the project, once approved, starts in the root of the project, and its relative paths are resolved
 *   against it.
 * - Every other server starts in the home directory unless it sets `cwd`, because programs such as `npx` run what they find
 *   in their working directory. Its relative paths are resolved against the folder of the file that defines it: for JSON
 *   on the command line against the caller's working directory, for servers without a file against the home directory.
 *
 * A `command` without a separator is a name, to be looked up on the `PATH`, and stays as it is. Idempotent.
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

/** Returns true if a command is a path, not a name that is looked up on the `PATH`. */
export function isCommandPath(command: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? /[/\\:]/.test(command) : command.includes('/');
}

function absolute(path: typeof posix, base: string, written: string): string {
  // A path such as `C:x` would be resolved against the process's current folder on that drive.
  const onDrive = path === win32 ? /^([A-Za-z]:)(?![/\\])(.*)$/s.exec(written) : null;
  if (onDrive === null) return path.resolve(base, written);
  const [, drive = '', rest = ''] = onDrive;
  const sameDrive = base.toLowerCase().startsWith(drive.toLowerCase());
  return sameDrive ? path.resolve(base, rest) : path.resolve(`${drive}\\`, rest);
}

/** Returns what only a shell would understand in an entry: `~`, and a whole command line in `command`. */
export function shellIssues({ command, cwd }: JsonObject): readonly EntryIssue[] {
  const issues: EntryIssue[] = [];
  for (const [path, text] of Object.entries({ command, cwd })) {
    if (typeof text !== 'string' || !/^~(?:[/\\]|$)/.test(text)) continue;
    issues.push({
      code: 'FIELD_INVALID',
      path,
      message: `"${path}" begins with "~", which only a shell replaces.`,
      hint: 'Write the whole path, or ${HOME} in a file of your own.',
    });
  }
  return issues;
}

/**
 * Returns a warning if `command` seems to be a whole command line (its first word is a name, and more words follow), or if it or `cwd`
 * has a line break or a tab, as `"C:\tools"` has in JSON.
 */
export function commandLineIssues({ command, cwd }: ServerConfig): readonly EntryIssue[] {
  const issues = Object.entries({ command, cwd }).flatMap(([path, text]): EntryIssue[] => {
    if (typeof text !== 'string' || !/[\b\f\n\r\t]/.test(text)) return [];
    const message = `"${path}" contains a control character.`;
    return [{ code: 'FIELD_SUSPICIOUS', path, message, hint: PATH_HINT }];
  });
  if (issues.length > 0 || typeof command !== 'string' || !/^[\w.+@-]+\s+\S/.test(command)) return issues;
  return [
    {
      code: 'FIELD_SUSPICIOUS',
      path: 'command',
      message: '"command" seems to have arguments, and is read as one name or path.',
      hint: 'Put the arguments into "args".',
    },
  ];
}

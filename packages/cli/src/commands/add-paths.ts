import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';

/** `.`, `./server.js`, `..\\data`. */
const BEGINS_WITH_DOTS = /^\.{1,2}(?:[\\/]|$)/;

/**
 * Makes the paths of a command absolute that mean something in the folder in which it was typed: a server of the user starts in the home
 * directory. Others stay as they are, since an argument may be anything.
 * @returns the entry, and each path that was changed with what it is now
 */
export async function withAbsolutePaths(
  entry: ServerConfig,
  cwd: string,
): Promise<{ readonly entry: ServerConfig; readonly changed: ReadonlyMap<string, string> }> {
  const { command, args } = entry;
  const changed = new Map<string, string>();
  const absolute = async (word: unknown, isCommand: boolean): Promise<unknown> => {
    if (typeof word !== 'string' || !(await isPathHere(word, cwd, isCommand))) return word;
    const path = resolve(cwd, word);
    changed.set(word, path);
    return path;
  };
  if (typeof entry['cwd'] === 'string') {
    const folder = entry['cwd'].includes('${') ? entry['cwd'] : resolve(cwd, entry['cwd']);
    return { entry: { ...entry, cwd: folder }, changed };
  }
  const [program, ...words] = await Promise.all([
    absolute(command, true),
    ...(Array.isArray(args) ? args.map((word: unknown) => absolute(word, false)) : []),
  ]);
  if (changed.size === 0) return { entry, changed };
  return { entry: { ...entry, command: program, args: words }, changed };
}

/** A name without a separator is looked up in the `PATH` as a command, and may be anything as an argument unless it has an extension. */
async function isPathHere(word: string, cwd: string, isCommand: boolean): Promise<boolean> {
  if (isAbsolute(word) || word.startsWith('-') || word.includes('${')) return false;
  const hasDots = BEGINS_WITH_DOTS.test(word);
  if (!hasDots && !(isCommand ? /[\\/]/ : /[\\/.]/).test(word)) return false;
  const found = await stat(resolve(cwd, word)).catch(() => undefined);
  return found !== undefined && (hasDots || found.isFile());
}

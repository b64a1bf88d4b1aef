import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { ServerConfig } from '@mcp-fittings/client-core';

/** `.`, `./server.js`, `..\\data`. */
const BEGINS_WITH_DOTS = /^\.{1,2}(?:[\\/]|$)/;
/** A home directory or a variable, which mean the same everywhere. */
const IS_EXPANDED_LATER = /^~|\$/;

/**
 * Makes the paths of a command absolute that mean something in the folder in which it was typed: a server of the user starts in the home
 * directory, or in its `cwd`. Others stay as they are, since an argument may be anything.
 * @returns the entry, and each path that was changed with what it is now
 */
export async function withAbsolutePaths(
  entry: ServerConfig,
  folder: string,
): Promise<{ readonly entry: ServerConfig; readonly changed: ReadonlyMap<string, string> }> {
  const { command, args, cwd } = entry;
  const changed = new Map<string, string>();
  const absolute = async (word: unknown, isCommand: boolean): Promise<unknown> => {
    if (typeof word !== 'string' || !(await isPathHere(word, folder, isCommand))) return word;
    const path = resolve(folder, word);
    changed.set(word, path);
    return path;
  };
  const program = await absolute(command, true);
  if (typeof cwd === 'string') {
    const start = IS_EXPANDED_LATER.test(cwd) ? cwd : resolve(folder, cwd);
    return { entry: { ...entry, ...(program !== undefined && { command: program }), cwd: start }, changed };
  }
  const words: unknown = Array.isArray(args)
    ? await Promise.all(args.map((word: unknown) => absolute(word, false)))
    : args;
  return { entry: changed.size === 0 ? entry : { ...entry, command: program, args: words }, changed };
}

/** A name without a separator is looked up in the `PATH` as a command, and may be anything as an argument unless it has an extension. */
async function isPathHere(word: string, folder: string, isCommand: boolean): Promise<boolean> {
  if (isAbsolute(word) || word.startsWith('-') || IS_EXPANDED_LATER.test(word)) return false;
  const hasDots = BEGINS_WITH_DOTS.test(word);
  if (!hasDots && !(isCommand ? /[\\/]/ : /[\\/.]/).test(word)) return false;
  const found = await stat(resolve(folder, word)).catch(() => undefined);
  return found !== undefined && (hasDots || found.isFile());
}

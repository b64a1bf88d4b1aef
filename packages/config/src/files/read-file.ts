import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { printable } from '../display-text.js';
import { createPositions } from '../jsonc/parse-document.js';
import { problem, type ConfigProblem, type ConfigProblemCode } from '../problems.js';

/** Default limit for the size of a configuration file, in bytes. */
export const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024;

export interface ReadRules {
  /** Largest file that is read, in bytes. */
  readonly maxBytes: number;
  /** Real path of a directory that the file must be inside, after every symbolic link is resolved. */
  readonly within?: string | undefined;
  /** Ids of the users that the file may belong to; undefined if the system has no file owners. */
  readonly owners?: readonly number[] | undefined;
  /** If true, a file that other users may change is refused. */
  readonly privateToOwner?: boolean | undefined;
  /** If true, a broken symbolic link is refused; otherwise it counts as an absent file. */
  readonly refuseBrokenLink?: boolean | undefined;
}

export type ReadOutcome =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string; readonly realPath: string }
  | { readonly kind: 'refused'; readonly problem: ConfigProblem };

class RefusedFile extends Error {
  readonly code: ConfigProblemCode;
  readonly hint: string | undefined;
  constructor(code: ConfigProblemCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * Reads a text file, or returns why it is refused. Never rejects, and never waits for a pipe or a device. The checks run on
 * the open file, so that the file that was checked is the one that is read.
 */
export async function readTextFile(path: string, rules: ReadRules): Promise<ReadOutcome> {
  try {
    const { bytes, realPath } = await readChecked(path, rules);
    const text = bytes.toString();
    // Two programs that guess the encoding can read different contents.
    if (isUtf8(bytes)) return { kind: 'text', text, realPath };
    const location = { file: path, ...createPositions(text)(text.indexOf('\ufffd')) };
    const hint = 'Save the file as UTF-8.';
    return {
      kind: 'refused',
      problem: problem('ENCODING_INVALID', 'The file is not UTF-8.', { location, hint }),
    };
  } catch (error) {
    const systemCode = systemErrorCode(error);
    const location = { file: path };
    if (systemCode === 'ENOENT' || systemCode === 'ENOTDIR') {
      if (rules.refuseBrokenLink !== true || !(await isBrokenLink(path))) return { kind: 'absent' };
      const message = 'The file or its folder is a broken symbolic link.';
      return { kind: 'refused', problem: problem('FILE_UNREADABLE', message, { location }) };
    }
    if (error instanceof RefusedFile) {
      return { kind: 'refused', problem: problem(error.code, error.message, { location, hint: error.hint }) };
    }
    return {
      kind: 'refused',
      problem: problem('FILE_UNREADABLE', `The file cannot be read: ${systemCode ?? 'an unknown error'}.`, {
        location,
      }),
    };
  }
}

async function readChecked(path: string, rules: ReadRules): Promise<{ bytes: Buffer; realPath: string }> {
  const realPath = await realpath(path);
  if (rules.within !== undefined && !isInside(realPath, rules.within)) {
    throw new RefusedFile(
      'FILE_SYMLINK',
      `The file is a symbolic link to ${printable(realPath)}, which is outside of the project.`,
      'Replace the link by the file itself.',
    );
  }
  // Checked before it is opened, because opening a device can have side effects.
  if (!(await lstat(realPath)).isFile()) throw notRegular();
  // The path may have been replaced since: a link is not followed, and a pipe does not block.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(realPath, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular();
    if (rules.owners !== undefined && !rules.owners.includes(stats.uid)) {
      throw new RefusedFile('FILE_OWNER', 'The file belongs to another user.');
    }
    if (rules.privateToOwner === true && process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
      throw new RefusedFile('FILE_OWNER', 'Other users may change the file.', 'Run chmod 600 on it.');
    }
    return { bytes: await readUpTo(handle, rules.maxBytes, stats.size), realPath };
  } finally {
    await handle.close();
  }
}

/** Does not rely on the size that the system reports: a file may grow, and special files report 0. */
async function readUpTo(handle: FileHandle, maxBytes: number, size: number): Promise<Buffer> {
  const tooLarge = new RefusedFile('FILE_TOO_LARGE', `The file is larger than ${String(maxBytes)} bytes.`);
  if (size > maxBytes) throw tooLarge;
  let buffer = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(size, 4096)) + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
    if (filled > maxBytes) throw tooLarge;
    if (filled === buffer.length) buffer = Buffer.concat([buffer], Math.min(maxBytes + 1, buffer.length * 2));
  }
}

/** Returns true if a path, or the nearest part of it that exists, is a symbolic link to a target that does not exist. */
export async function isBrokenLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined && path !== dirname(path)) return isBrokenLink(dirname(path));
  if (stats?.isSymbolicLink() !== true) return false;
  return realpath(path).then(
    () => false,
    () => true,
  );
}

function notRegular(): RefusedFile {
  return new RefusedFile('FILE_NOT_REGULAR', 'The path is not a regular file.');
}

/** Returns true if a path is the directory itself or inside it. Both must be real paths. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way);
}

/** Resolves every symbolic link in the part of a path that exists. */
export async function resolveLinks(path: string): Promise<string> {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await realpath(current), ...missing);
    } catch (error) {
      if (current === dirname(current)) throw error;
      missing.unshift(basename(current));
    }
  }
}

/** Reads each file at most once, so that all decisions of one run are about the same bytes. */
export type FileReader = (path: string, rules?: Omit<ReadRules, 'maxBytes'>) => Promise<ReadOutcome>;

export function createFileReader(maxBytes: number): FileReader {
  const read = new Map<string, Promise<ReadOutcome>>();
  return (path, rules = {}) => {
    const key = JSON.stringify([path, rules]);
    const outcome = read.get(key) ?? readTextFile(path, { maxBytes, ...rules });
    read.set(key, outcome);
    return outcome;
  };
}

import { constants } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { isUtf8 } from 'node:buffer';
import { problem, type ConfigProblem, type ConfigProblemCode } from '../problems.js';
import { printable } from '../display-text.js';
import { createPositions } from '../jsonc/parse-document.js';

/** Largest configuration file that is read, in bytes. */
export const DEFAULT_MAX_FILE_BYTES = 10 * 1024 * 1024;

export interface ReadRules {
  /** A larger file is refused, in bytes. */
  readonly maxBytes: number;
  /** Real path of a directory that the file, followed through every link, must lie in. */
  readonly within?: string | undefined;
  /** Users that the file may belong to; undefined where the system has no owners. */
  readonly owners?: readonly number[] | undefined;
  /** Refuse a file that anybody but its owner may change. */
  readonly privateToOwner?: boolean | undefined;
  /** Refuse a link that leads nowhere instead of taking the file for absent. */
  readonly refuseBrokenLink?: boolean | undefined;
}

export type ReadOutcome =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string; readonly realPath: string }
  | { readonly kind: 'refused'; readonly problem: ConfigProblem };

class Refusal extends Error {
  readonly code: ConfigProblemCode;
  readonly hint: string | undefined;
  constructor(code: ConfigProblemCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/**
 * Reads a text file, or says why not; never throws and never waits for a pipe or a device. What is checked is what
 * is read: the checks run on the open file.
 */
export async function readTextFile(path: string, rules: ReadRules): Promise<ReadOutcome> {
  try {
    const outcome = await readChecked(path, rules);
    const decoded = decodeText(outcome.bytes);
    if ('text' in decoded) return { kind: 'text', text: decoded.text, realPath: outcome.realPath };
    const location = { file: path, line: decoded.line, column: decoded.column };
    return {
      kind: 'refused',
      problem: problem('ENCODING_INVALID', decoded.message, {
        location,
        hint: 'Save the file as UTF-8 without a byte order mark.',
      }),
    };
  } catch (error) {
    const systemCode = error instanceof Error && 'code' in error ? error.code : undefined;
    const location = { file: path };
    if (systemCode === 'ENOENT' || systemCode === 'ENOTDIR') {
      if (rules.refuseBrokenLink !== true || !(await isBrokenLink(path))) return { kind: 'absent' };
      const message = 'The file is a link that leads nowhere, or its folder is one.';
      return { kind: 'refused', problem: problem('FILE_UNREADABLE', message, { location }) };
    }
    if (error instanceof Refusal) {
      return { kind: 'refused', problem: problem(error.code, error.message, { location, hint: error.hint }) };
    }
    const reason = typeof systemCode === 'string' ? systemCode : 'an unknown error';
    return {
      kind: 'refused',
      problem: problem('FILE_UNREADABLE', `The file can't be read: ${reason}.`, { location }),
    };
  }
}

async function readChecked(path: string, rules: ReadRules): Promise<{ bytes: Uint8Array; realPath: string }> {
  const realPath = await realpath(path);
  if (rules.within !== undefined && !isInside(realPath, rules.within)) {
    throw new Refusal(
      'FILE_SYMLINK',
      `The file is a link that leads out of the project, to ${printable(realPath)}.`,
      'Put the file itself into the project.',
    );
  }
  // Looked at before it is opened, because opening a device can have effects.
  if (!(await lstat(realPath)).isFile()) throw notRegular();
  // Nothing else may be found under the name meanwhile: a link is not followed, a pipe does not block.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(realPath, flags);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw notRegular();
    if (rules.owners !== undefined && !rules.owners.includes(stats.uid)) {
      throw new Refusal('FILE_OWNER', 'The file belongs to another user.');
    }
    if (rules.privateToOwner === true && process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
      throw new Refusal('FILE_OWNER', 'Other users may change the file.', 'Run chmod 600 on it.');
    }
    return { bytes: await readUpTo(handle, rules.maxBytes, stats.size), realPath };
  } finally {
    await handle.close();
  }
}

/** The size that the system tells is not trusted: a file may grow, and some say 0. */
async function readUpTo(handle: FileHandle, maxBytes: number, size: number): Promise<Uint8Array> {
  const tooLarge = new Refusal('FILE_TOO_LARGE', `The file is larger than ${String(maxBytes)} bytes.`);
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

/** Whether a path, or the nearest part of it that is there, is a link to something that does not exist. */
export async function isBrokenLink(path: string): Promise<boolean> {
  for (let current = path; ; current = dirname(current)) {
    const stats = await lstat(current).catch(() => undefined);
    if (stats === undefined && current !== dirname(current)) continue;
    if (stats?.isSymbolicLink() !== true) return false;
    return realpath(current).then(
      () => false,
      () => true,
    );
  }
}

/**
 * The nearest folder above a file in which another user could put a file of theirs: one that does not belong to this user
 * or to root, or that others may write to without the sticky bit. Undefined where the system has no owners.
 */
export async function findUntrustedFolder(path: string): Promise<string | undefined> {
  const self = process.getuid?.();
  if (self === undefined) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const stats = await stat(folder).catch(() => undefined);
    if (stats !== undefined) {
      const isForeign = stats.uid !== self && stats.uid !== 0;
      const isShared = (stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0;
      if (isForeign || isShared) return folder;
    }
    if (folder === dirname(folder)) return undefined;
  }
}

function notRegular(): Refusal {
  return new Refusal('FILE_NOT_REGULAR', 'The path is not a regular file.');
}

/** Whether a path is the directory or lies in it; both real paths. */
export function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !way.startsWith('..\\') && !isAbsolute(way);
}

/** A path with every link in it followed, as far as it exists. */
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

/** Reads files, each at most once, so that everything decided in one go is decided on the same bytes. */
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

export type DecodedText =
  { readonly text: string } | { readonly message: string; readonly line: number; readonly column: number };

/** UTF-8 and nothing else: two readers that guess an encoding can read two different files. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const begins = (...mark: number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  const refuse = (message: string): DecodedText => ({ message, line: 1, column: 1 });
  if (begins(0xef, 0xbb, 0xbf)) return refuse('The file begins with a byte order mark.');
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return refuse('The file is UTF-16.');
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (isUtf8(bytes)) return { text };
  return { message: 'A byte is not UTF-8.', ...createPositions(text)(firstReplaced(text, bytes)) };
}

/** Offset of the first character that the decoder put in place of a malformed byte. */
function firstReplaced(text: string, bytes: Uint8Array): number {
  let at = 0;
  let offset = 0;
  for (const character of text) {
    const written =
      character === '\ufffd' && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd);
    if (written) return offset;
    at += Buffer.byteLength(character);
    offset += character.length;
  }
  return offset;
}

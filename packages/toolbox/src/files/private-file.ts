import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '../errors/system-errors.js';
import { assertPrivate, insecure } from './private-directory.js';
import { removeFile } from './rename-file.js';
import { DRAFT, flushDirectory, replaceFile, type ReplaceOptions } from './replace-file.js';

/** A credential store never writes a larger file. */
const MAX_FILE_BYTES = 1024 * 1024;
// Windows has neither of the last two; `undefined` counts as 0 there.
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Reads a file that only this user can access. Resolves with undefined if it does not exist. Rejects with `STORE_INSECURE` if
 * it is not a regular file or others can access it, and with `STORE_CORRUPT` if it is larger than `maxBytes`, default 1 MiB.
 */
export async function readPrivateFile(path: string, maxBytes = MAX_FILE_BYTES): Promise<string | undefined> {
  const handle = await openPlain(path);
  if (handle === undefined) return undefined;
  try {
    assertReadable(path, await handle.stat(), maxBytes);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Does the same as {@link readPrivateFile}, before it returns: for many small files, of which each takes 20 µs instead of six
 * operations of the thread pool.
 */
export function readPrivateFileSync(path: string, maxBytes = MAX_FILE_BYTES): string | undefined {
  let file: number;
  try {
    file = openSync(path, PLAIN);
  } catch (error) {
    return notOpened(path, error);
  }
  try {
    assertReadable(path, fstatSync(file), maxBytes);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function assertReadable(path: string, stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw notAFile(path);
  assertPrivate(path, stats);
  if (stats.size <= maxBytes) return;
  throw new FittingsError('STORE_CORRUPT', `${path} is larger than the limit of ${maxBytes} bytes.`, {
    details: { path },
  });
}

/**
 * Replaces a file in a private directory, as {@link replaceFile} does; a new one can only be accessed by this user. Rejects with
 * `STORE_INSECURE` if {@link readPrivateFile} would do so for the old file.
 */
export async function writePrivateFile(
  directory: string,
  name: string,
  text: string,
  options: Pick<ReplaceOptions, 'beforeCommit'> = {},
): Promise<void> {
  const path = join(directory, name);
  await assertReplaceable(path);
  await replaceFile(path, text, options);
}

/** Removes the file, whatever it is, and drafts of it that a killed process has left. */
export async function removePrivateFile(directory: string, name: string): Promise<void> {
  const drafts = (await readdir(directory)).filter(
    (file) => file.startsWith(`${name}.`) && file.endsWith(DRAFT),
  );
  for (const file of [name, ...drafts]) await removeFile(join(directory, file));
  await flushDirectory(directory);
}

/** The codes for a symbolic link (EMLINK on FreeBSD) and a socket. */
const NOT_A_FILE = new Set<string | undefined>(['ELOOP', 'EMLINK', 'ENXIO']);

// Without O_NONBLOCK, opening a pipe would wait for its other end.
const PLAIN = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

async function openPlain(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, PLAIN);
  } catch (error) {
    return notOpened(path, error);
  }
}

/** Returns undefined if the file does not exist, and throws otherwise. */
function notOpened(path: string, error: unknown): undefined {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') return undefined;
  throw NOT_A_FILE.has(code) ? notAFile(path) : error;
}

async function assertReplaceable(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });
  if (stats === undefined) return;
  if (!stats.isFile()) throw notAFile(path);
  assertPrivate(path, stats);
}

function notAFile(path: string): Error {
  return insecure(path, 'is not a regular file', 'Remove it manually.');
}

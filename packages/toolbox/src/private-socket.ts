/**
 * For what listens: a port, and a Unix socket or a named pipe of Windows that only its owner can send to. For what connects: the check of
 * the owner.
 *
 * @packageDocumentation
 */
import { once } from 'node:events';
import { chmodSync, type Stats, lstatSync, rmSync } from 'node:fs';
import { link, lstat, mkdtemp, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { type ListenOptions, type Server, createConnection } from 'node:net';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from './errors/system-errors.js';
import { findReplaceable } from './files/find-replaceable.js';
import { sanitizeText } from './text/sanitize-text.js';

/** Resolves when the server listens. Rejects with `CONFIG_INVALID` if the address is in use, and `CONNECT_FAILED` otherwise. */
export async function startListening(
  server: Server,
  options: ListenOptions,
  message: () => string,
): Promise<void> {
  server.listen(options);
  try {
    await once(server, 'listening');
    // The directory that it is in keeps others out until now.
    if (options.path !== undefined && process.platform !== 'win32') chmodSync(options.path, 0o600);
  } catch (cause) {
    server.close();
    const isInUse = systemErrorCode(cause) === 'EADDRINUSE';
    throw new FittingsError(isInUse ? 'CONFIG_INVALID' : 'CONNECT_FAILED', message(), {
      cause,
      hint: isInUse
        ? 'Another process uses the address. Choose another; port 0 picks a free one.'
        : 'Choose another address.',
    });
  }
}

/**
 * Listens on a Unix socket that only this user can connect to. The socket is created in a new directory of mode 0700, gets mode 0600, and
 * only then its name, so that no other user can connect in between; unlike with `umask`, files of other threads are not affected. Replaces a
 * socket of this user on which nothing listens. Returns a function that removes the socket.
 *
 * On Windows the path is that of a named pipe, such as `\\\\.\\pipe\\my-gateway`, which Windows removes; the system lets other users read
 * from it at most.
 *
 * Rejects with `CONFIG_INVALID` if another user could replace the socket, or the path is in use.
 */
export async function listenOnPrivateSocket(server: Server, socketPath: string): Promise<() => void> {
  if (process.platform === 'win32') {
    if (!PIPE.test(socketPath)) {
      throw invalid('On Windows, a socket is a named pipe.', String.raw`For example: \\.\pipe\my-gateway.`);
    }
    await startListening(server, { path: socketPath }, () => `The pipe ${socketPath} cannot be created.`);
    return () => undefined;
  }
  if (!isAbsolute(socketPath)) {
    throw invalid('The path of a socket must be absolute.', 'For example: /run/user/1000/mcp.sock.');
  }
  const parent = await realpath(dirname(socketPath)).catch((cause: unknown) => {
    throw invalid(
      `The directory ${dirname(socketPath)} cannot be used.`,
      'Create it with mode 0700, or choose another.',
      cause,
    );
  });
  const path = join(parent, basename(socketPath));
  const found = findReplaceable(socketPath);
  if (found !== undefined) {
    throw invalid(
      `Another user could replace the socket, because ${found.at} ${found.fact}.`,
      'Choose a path in a directory that only you can write to.',
    );
  }
  const workshop = await mkdtemp(join(parent, '.'));
  try {
    const made = join(workshop, 's');
    await startListening(server, { path: made }, () => `The socket ${socketPath} cannot be created.`);
    const { ino } = await lstat(made);
    try {
      await claim(made, path, workshop);
    } catch (error) {
      server.close();
      throw error;
    }
    return () => {
      // Another process may have replaced it.
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/**
 * Resolves if a Unix socket belongs to this user or to root, or if nothing is there, which connecting reports. On Windows it always
 * resolves: Node.js does not tell who listens on a named pipe. Rejects with `CONFIG_INVALID` if the path is not that of a socket, and
 * with `POLICY_DENIED` if another user listens there.
 */
export async function checkSocketOwner(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return;
  const shown = sanitizeText(path);
  const delivery = 'not-sent';
  if (!stats.isSocket())
    throw new FittingsError('CONFIG_INVALID', `${shown} is not a socket.`, {
      hint: 'Check the path of the socket in the URL of the server.',
      delivery,
    });
  if (stats.uid === ROOT || isOwn(stats)) return;
  throw new FittingsError(
    'POLICY_DENIED',
    `The socket ${shown} belongs to another user, with the id ${stats.uid}, who would receive what is sent to it.`,
    { hint: 'Connect to a server that you, or root, have started.', delivery, details: { uid: stats.uid } },
  );
}

const PIPE = /^\\\\[.?]\\pipe\\./i;

/** Gives the new socket its name. Fails if something else than an abandoned socket of this user has it. */
async function claim(made: string, path: string, workshop: string): Promise<void> {
  if (await tryLink(made, path)) return;
  const stats = await lstat(path);
  if (!stats.isSocket() || !isOwn(stats)) {
    throw invalid(`${path} exists, and is not a socket of this user.`, 'Choose another path, or remove it.');
  }
  if (await isListening(path)) throw inUse(path);
  // Another process may have replaced it since: what is moved away is looked at again.
  const abandoned = join(workshop, 'old');
  await rename(path, abandoned);
  if ((await lstat(abandoned)).ino !== stats.ino) {
    await tryLink(abandoned, path);
    throw inUse(path);
  }
  await unlink(abandoned);
  if (!(await tryLink(made, path))) throw inUse(path);
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(systemErrorCode(error) !== 'ECONNREFUSED'));
  });
}

const ROOT = 0;

function isOwn({ uid }: Stats): boolean {
  return uid === process.geteuid?.();
}

function inUse(path: string): FittingsError {
  return invalid(`Another process listens on ${path}.`, 'Choose another path, or use what listens there.');
}

function invalid(message: string, hint: string, cause?: unknown): FittingsError {
  return new FittingsError('CONFIG_INVALID', message, { hint, cause });
}

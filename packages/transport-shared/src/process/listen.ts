import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { join } from 'node:path';
import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { ensurePrivateDirectory, writePrivateFile } from '@mcp-fittings/toolbox/files';
import { startListening } from '@mcp-fittings/toolbox/private-socket';
import { FileLocks } from '@mcp-fittings/toolbox/stores';
import { findAddress, PIPE_FILE, socketPath } from '../wire/socket-address.js';

/**
 * Listens in a folder that only this user has access to, as the only process. Of several that start at once the first wins; the
 * others resolve with undefined. A socket that a killed process has left is replaced.
 */
export async function listenInFolder(server: Server, folder: string, clock: Clock) {
  await ensurePrivateDirectory(folder);
  // Without it, of two processes that find the same abandoned socket one could remove the new socket of the other.
  const locks = new FileLocks({ directory: join(folder, 'locks'), clock });
  return locks.run('listen', async () => {
    const before = await findAddress(folder);
    if (before !== undefined && (await answers(before))) return undefined;
    const path = process.platform === 'win32' ? await newPipe(folder) : socketPath(folder);
    if (process.platform !== 'win32') await rm(path, { force: true });
    await startListening(server, { path }, () => `The shared process cannot listen in ${folder}.`);
    return {
      path,
      /** Stops listening, unless `isBusy` says that a program has connected meanwhile. Resolves with whether it has stopped; does not reject. */
      stop(isBusy: () => boolean = () => false): Promise<boolean> {
        const close = (): boolean => {
          if (isBusy()) return false;
          server.close();
          return true;
        };
        // In the lock too: a process that starts now must not lose its socket to the end of this one. Without a folder there is no lock.
        return locks.run('listen', async () => close()).catch(close);
      },
    };
  });
}

/** A pipe is visible to every user, so its name is secret: 256 bits in a private file. */
async function newPipe(folder: string): Promise<string> {
  const path = `\\\\.\\pipe\\mcp-fittings-${randomBytes(32).toString('base64url')}`;
  await writePrivateFile(folder, PIPE_FILE, path);
  return path;
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTSOCK') return false;
    throw new FittingsError('CONNECT_FAILED', `Could not tell whether a process listens at ${path}.`, {
      cause: error,
    });
  } finally {
    socket.destroy();
  }
}

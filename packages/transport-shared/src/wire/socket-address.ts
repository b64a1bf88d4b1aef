import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { checkPrivateDirectory, ownFolder, readPrivateFile } from '@mcp-fittings/toolbox/files';
import { WIRE_VERSION } from './protocol.js';

/** Longest path of a socket on macOS; Linux permits four characters more. */
const LONGEST_SOCKET_PATH = 103;

/**
 * Returns the folder of the shared process of this user: `mcp-fittings` in `XDG_RUNTIME_DIR`, which the system empties at
 * the end of the session, or a folder next to what `fittings` keeps. It is private: mode 0700, and of no other user.
 */
export function sharedFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime !== undefined && isAbsolute(runtime)) return join(runtime, 'mcp-fittings');
  const folder = join(ownFolder(process.platform === 'darwin' ? 'cache' : 'state', homedir()), 'run');
  const isShort = Buffer.byteLength(socketPath(folder)) <= LONGEST_SOCKET_PATH;
  if (process.platform === 'win32' || isShort) return folder;
  return join(tmpdir(), `mcp-fittings-${process.geteuid?.() ?? 0}`);
}

/** Returns the path of the socket in a folder. It names the version of the wire. */
export function socketPath(folder: string): string {
  return join(folder, `shared-${WIRE_VERSION}.sock`);
}

/** Name of the file with the name of the pipe, on Windows: a pipe has no folder that would protect it. */
export const PIPE_FILE = `shared-${WIRE_VERSION}.pipe`;

/**
 * Resolves with what to connect to; undefined if no process has listened in this folder. Rejects with `STORE_INSECURE` if
 * another user could have put a socket there.
 */
export async function findAddress(folder: string): Promise<string | undefined> {
  if (!(await checkPrivateDirectory(folder))) return undefined;
  if (process.platform !== 'win32') return socketPath(folder);
  return readPrivateFile(join(folder, PIPE_FILE));
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Clock, FittingsError, TransportError } from '@mcp-fittings/client-core';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import { ensurePrivateDirectory } from '@mcp-fittings/toolbox/files';
import { sleep } from '@mcp-fittings/toolbox/timing';
import { resolveStdioEntry } from '@mcp-fittings/transport-stdio';
import { findAddress } from '../wire/socket-address.js';

/** Starts the shared process. */
export interface SharedProcessCommand {
  /** The program, as an absolute path. */
  readonly command: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Variables that it gets besides. Default none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface ConnectOptions {
  readonly folder: string;
  /** Called to start it. Undefined: connects only to a process that runs. */
  readonly start: (() => SharedProcessCommand) | undefined;
  readonly startTimeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Not yet, not any more, or too many programs connect at this moment. */
const NOT_LISTENING = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTSOCK', 'EAGAIN']);
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/** Connects to the shared process, and starts it if it does not run. */
export async function connectToProcess(options: ConnectOptions): Promise<Socket> {
  const { folder, start, startTimeoutMs, clock, signal } = options;
  const deadline = clock.now() + startTimeoutMs;
  let hasStarted = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const socket = await tryToConnect(folder);
    if (signal?.aborted === true) {
      socket?.destroy();
      throw signal.reason;
    }
    if (socket !== undefined) return socket;
    if (start === undefined) {
      throw new TransportError('CONNECTION_REFUSED', 'No shared process runs.', {
        hint: 'Start it: fittings serve --socket',
      });
    }
    if (!hasStarted) await startProcess(start(), folder);
    hasStarted = true;
    if (clock.now() >= deadline) {
      throw new TransportError(
        'CONNECT_FAILED',
        `The shared process has not started within ${startTimeoutMs} ms.`,
        {
          hint: `Its log is in ${folder}. Or connect without it: use stdio() instead of sharedStdio().`,
          retryable: true,
        },
      );
    }
    await sleep(pause, { clock, signal });
  }
}

async function tryToConnect(folder: string): Promise<Socket | undefined> {
  const path = await findAddress(folder);
  if (path === undefined) return undefined;
  const socket = connect(path);
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', (error) => {
      const code = systemErrorCode(error);
      if (code !== undefined && NOT_LISTENING.has(code)) resolve(undefined);
      else reject(error);
    });
  });
}

/** Starts it so that it outlives this program, and with as little of this program's environment as a server would get. */
async function startProcess(
  { command, args, env: own }: SharedProcessCommand,
  folder: string,
): Promise<void> {
  await ensurePrivateDirectory(folder);
  const { parentEnv } = resolveStdioEntry({ command });
  const runtime = process.env['XDG_RUNTIME_DIR'];
  const env = { ...parentEnv, ...(runtime !== undefined && { XDG_RUNTIME_DIR: runtime }), ...own };
  // Loaded to use it: most programs find the process running.
  const { spawn } = await import('node:child_process');
  const child = spawn(command, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
  });
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new FittingsError('SPAWN_FAILED', 'The shared process could not be started.', { cause });
  });
  child.on('error', () => undefined);
  child.unref();
}

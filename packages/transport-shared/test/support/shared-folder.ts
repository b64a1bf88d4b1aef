import { mkdtemp, rm } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../../../scripts/bundled.mjs';
import { isRunning, untilDead } from '../../../transport-stdio/test/support/processes.js';

/** A private folder for a shared process, which is ended with it. */
export interface SharedFolder extends AsyncDisposable {
  readonly folder: string;
  /** How the shared process is started on demand there. */
  readonly start: { readonly command: string; readonly args: readonly string[] };
  /** Process ids of all shared processes that have started here, by their log. */
  readonly processes: () => readonly number[];
}

const PROGRAM = await bundled(fileURLToPath(new URL('shared-process.mjs', import.meta.url)));

export async function openSharedFolder(options: object = {}): Promise<SharedFolder> {
  const root = await mkdtemp(join(tmpdir(), 'shared-'));
  const folder = join(root, 'run');
  const processes = (): readonly number[] => {
    const log = readText(join(folder, 'shared.log'));
    return [...log.matchAll(/The shared process has started\. pid=(\d+)/g)].map(([, pid]) => Number(pid));
  };
  return {
    folder,
    start: { command: process.execPath, args: [PROGRAM, JSON.stringify({ folder, ...options })] },
    processes,
    async [Symbol.asyncDispose]() {
      // Also those that have lost the race and are still starting: they would create the folder again.
      for (let running = processesOf(folder); running.length > 0; running = processesOf(folder)) {
        for (const pid of running) end(pid);
        await Promise.all(running.map(untilDead));
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Process ids of everything that was started with this folder among its arguments. Linux only. */
function processesOf(folder: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .map(Number)
    .filter((pid) => readText(`/proc/${pid}/cmdline`).includes(folder) && isRunning(pid));
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has ended meanwhile.
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

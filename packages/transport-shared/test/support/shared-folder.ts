import { mkdtemp, rm } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SharedProcessCommand } from '@mcp-fittings/transport-shared';

/** A private folder for a shared process, which is ended with it. */
export interface SharedFolder extends AsyncDisposable {
  readonly folder: string;
  /** How the shared process is started on demand there. */
  readonly start: SharedProcessCommand;
  /** Process ids of all shared processes that have started here, by their log. */
  readonly processes: () => readonly number[];
}

const PROGRAM = fileURLToPath(new URL('shared-process.mjs', import.meta.url));

export async function openSharedFolder(options: object = {}): Promise<SharedFolder> {
  const root = await mkdtemp(join(tmpdir(), 'shared-'));
  const folder = join(root, 'run');
  const processes = (): readonly number[] => {
    const log = readLog(join(folder, 'shared.log'));
    return [...log.matchAll(/The shared process has started\. pid=(\d+)/g)].map(([, pid]) => Number(pid));
  };
  return {
    folder,
    start: { command: process.execPath, args: [PROGRAM, JSON.stringify({ folder, ...options })] },
    processes,
    async [Symbol.asyncDispose]() {
      for (const pid of processes()) {
        try {
          process.kill(pid, 'SIGTERM');
        } catch {
          continue;
        }
        await untilDead(pid);
      }
      await rm(root, { recursive: true, force: true });
    },
  };
}

function readLog(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether the process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return false;
  }
}

/** Resolves when the condition holds; otherwise the test fails by its own time limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

export const untilDead = (pid: number): Promise<void> => until(() => !isRunning(pid));

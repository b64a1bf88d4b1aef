import { spawn, spawnSync } from 'node:child_process';
import { win32 } from 'node:path';
import type { ProcessTree } from './process-tree.js';

/** Runs `taskkill` with these arguments. */
export interface Taskkill {
  start(args: readonly string[]): void;
  run(args: readonly string[]): void;
}

/**
 * The tree on Windows, which has no signals: `taskkill /T /F` ends the process and all that it started. What outlives
 * a server that ended by itself can't be found any more.
 * @see https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
 */
export function createWindowsTree(pid: number, taskkill: Taskkill = systemTaskkill()): ProcessTree {
  const args = ['/PID', String(pid), '/T', '/F'];
  return {
    signal: () => taskkill.start(args),
    hasSurvivors: () => Promise.resolve(false),
    killNow: () => taskkill.run(args),
  };
}

function systemTaskkill(): Taskkill {
  // By its full path: Windows would look into the current directory first.
  const file = win32.join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
  const options = { stdio: 'ignore', windowsHide: true } as const;
  return {
    start: (args) => void spawn(file, args, options).once('error', () => undefined),
    run: (args) => void spawnSync(file, args, options),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls for the end of a process that is not a child, until the test times out. */
export async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10);
}

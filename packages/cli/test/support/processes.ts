import { setTimeout as sleep } from 'node:timers/promises';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The system tells nobody of a process that is not its child's end, so it is asked until the test's own time is over. */
export async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10);
}

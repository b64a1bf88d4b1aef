import { readFileSync } from 'node:fs';

/** Whether the process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
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

/** Resolves when a process has ended, also one that is not a child. */
export const untilDead = (pid: number): Promise<void> => until(() => !isRunning(pid));

/** What keeps this process alive, and did not when this function was called first. */
export function watchResources(): () => string[] {
  const before = process.getActiveResourcesInfo();
  return () => {
    const known = [...before];
    return process.getActiveResourcesInfo().filter((kind) => {
      const index = known.indexOf(kind);
      if (index !== -1) known.splice(index, 1);
      return index === -1;
    });
  };
}

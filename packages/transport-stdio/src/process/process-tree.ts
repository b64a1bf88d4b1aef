import { createProcessGroup } from './process-group.js';
import { createWindowsTree } from './windows-tree.js';

/** A server process and what it started, as something that can be ended as a whole. */
export interface ProcessTree {
  /** Asks all of them to end (SIGTERM) or ends them (SIGKILL). Never throws: they may be gone already. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Once the server process itself has ended: whether any of the others still runs. */
  hasSurvivors(): Promise<boolean>;
  /** Ends them before it returns, for the moment in which this process exits. */
  killNow(): void;
}

export function createProcessTree(pid: number, platform: NodeJS.Platform): ProcessTree {
  return platform === 'win32' ? createWindowsTree(pid) : createProcessGroup(pid, platform);
}

import { readdir, readFile } from 'node:fs/promises';
import { win32 } from 'node:path';

/** A server process and everything it started, which are ended together. */
export interface ProcessTree {
  /** Asks all of them to exit (SIGTERM) or kills them (SIGKILL). Never throws: they may be gone already. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Returns whether any other process still runs after the server process itself has exited. */
  hasSurvivors(): Promise<boolean>;
  /** Kills them synchronously, for use while this process exits. */
  killNow(): void;
}

export function createProcessTree(pid: number, platform: NodeJS.Platform): ProcessTree {
  return platform === 'win32' ? createWindowsTree(pid) : createProcessGroup(pid, platform);
}

/** The tree on POSIX: the server was started as the leader of a process group of its own. */
function createProcessGroup(leader: number, platform: NodeJS.Platform): ProcessTree {
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      process.kill(-leader, signal);
      return true;
    } catch {
      // ESRCH: none is left. EPERM: only processes that are dead or not ours.
      return false;
    }
  };
  return {
    signal: (signal) => void send(signal),
    async hasSurvivors() {
      if (!send(0)) return false;
      // Where orphans are not reaped, as in a container without init, dead processes stay in the group forever.
      return platform === 'linux' ? hasLivingMember(leader) : true;
    },
    killNow: () => void send('SIGKILL'),
  };
}

/** Whether a process of this group is not a zombie. True if /proc cannot be read. */
async function hasLivingMember(group: number): Promise<boolean> {
  let names: string[];
  try {
    names = await readdir('/proc');
  } catch {
    return true;
  }
  const stats = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  return stats.some((stat) => {
    const member = parseStat(stat);
    return member?.group === group && !/[ZXx]/.test(member.state);
  });
}

/** Parses state and process group from `/proc/<pid>/stat`; the process name in it may contain anything. @see man 5 proc */
export function parseStat(stat: string): { state: string; group: number } | undefined {
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || group === undefined ? undefined : { state, group: Number(group) };
}

/** Runs `taskkill` with these arguments. */
export interface Taskkill {
  start(args: readonly string[]): void;
  run(args: readonly string[]): void;
}

/**
 * The tree on Windows, which has no signals: `taskkill /T /F` ends the process and all that it started. What outlives
 * a server that exited by itself cannot be found anymore.
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
  // By its full path: Windows would look in the working directory first.
  const file = win32.join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
  const { spawn, spawnSync } = process.getBuiltinModule('node:child_process');
  const options = { stdio: 'ignore', windowsHide: true } as const;
  return {
    start: (args) => void spawn(file, args, options).once('error', () => undefined),
    run: (args) => void spawnSync(file, args, options),
  };
}

import { readdir, readFile } from 'node:fs/promises';
import { win32 } from 'node:path';

/** A server process and everything it started, which are ended together. */
export interface ProcessTree {
  /** Asks all of them to exit (SIGTERM) or kills them (SIGKILL). Never throws: they may be gone already. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Resolves with whether another process may still run after the server process itself has exited. */
  hasSurvivors(): Promise<boolean>;
  /** Kills them synchronously, for use while this process exits. */
  killNow(): void;
}

/** `killLeader` ends the server process alone. */
export function createProcessTree(
  pid: number,
  platform: NodeJS.Platform,
  killLeader: () => void,
): ProcessTree {
  return platform === 'win32' ? createWindowsTree(pid, killLeader) : createProcessGroup(pid, platform);
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

/** Returns true if a process of this group is not a zombie. True if /proc cannot be read. */
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

/** Runs `taskkill` with these arguments, and returns its exit code; undefined if it could not run. */
export interface Taskkill {
  start(args: readonly string[]): Promise<number | undefined>;
  run(args: readonly string[]): number | undefined;
}

/** The exit code of `taskkill` for a process that is gone. */
const NOT_FOUND = 128;

/**
 * The tree on Windows, which has no signals: `taskkill /T /F` ends the process and all that it started. Where it fails, at least
 * the server itself is ended, and the rest counts as alive. What outlives a server that exited by itself cannot be found anymore.
 * @see https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill
 */
export function createWindowsTree(
  pid: number,
  killLeader: () => void,
  taskkill: Taskkill = systemTaskkill(),
): ProcessTree {
  const args = ['/PID', String(pid), '/T', '/F'];
  let running: Promise<void> | undefined;
  let hasFailed = false;
  const note = (code: number | undefined): void => {
    if (code === 0) hasFailed = false;
    else if (code !== NOT_FOUND) {
      hasFailed = true;
      killLeader();
    }
  };
  return {
    signal() {
      running = taskkill.start(args).then(note);
    },
    async hasSurvivors() {
      await running;
      return hasFailed;
    },
    killNow: () => note(taskkill.run(args)),
  };
}

/** Longest that `taskkill` may take, in milliseconds. */
const TASKKILL_MS = 5000;

function systemTaskkill(): Taskkill {
  // By its full path: Windows would look in the working directory first.
  const file = win32.join(process.env['SystemRoot'] ?? String.raw`C:\Windows`, 'System32', 'taskkill.exe');
  const { spawn, spawnSync } = process.getBuiltinModule('node:child_process');
  const options = { stdio: 'ignore', windowsHide: true, timeout: TASKKILL_MS } as const;
  return {
    start: (args) =>
      new Promise((resolve) => {
        spawn(file, args, options)
          .once('error', () => resolve(undefined))
          .once('exit', (code) => resolve(code ?? undefined));
      }),
    run: (args) => spawnSync(file, args, options).status ?? undefined,
  };
}

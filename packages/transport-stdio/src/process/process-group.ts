import { readdir, readFile } from 'node:fs/promises';
import type { ProcessTree } from './process-tree.js';

/** The tree on POSIX: the server was started as the leader of a process group of its own. */
export function createProcessGroup(leader: number, platform: NodeJS.Platform): ProcessTree {
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      process.kill(-leader, signal);
      return true;
    } catch {
      // ESRCH: nobody is left. EPERM: only processes that are dead or not ours.
      return false;
    }
  };
  return {
    signal: (signal) => void send(signal),
    async hasSurvivors() {
      if (!send(0)) return false;
      // Where nobody reaps orphans, as in a container without init, the dead stay in the group for ever.
      return platform === 'linux' ? hasLivingMember(leader) : true;
    },
    killNow: () => void send('SIGKILL'),
  };
}

/** Whether a process of this group is more than a zombie. True when /proc can't tell. */
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

/** State and process group out of `/proc/<pid>/stat`; the name in it may hold anything. @see man 5 proc */
export function parseStat(stat: string): { state: string; group: number } | undefined {
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || group === undefined ? undefined : { state, group: Number(group) };
}

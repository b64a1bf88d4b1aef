import { readdirSync, readFileSync } from 'node:fs';

/** What every user of the machine, or at least every program of this user, can read of a process. */
export interface SeenProcess {
  /** Each command line that it had: that of its parent until it started its program. */
  readonly commands: ReadonlySet<string>;
  readonly environments: ReadonlySet<string>;
}

/** Watches all descendants of this process until it is disposed. Linux only. */
export interface ChildWatch extends Disposable {
  readonly seen: ReadonlyMap<number, SeenProcess>;
  /** Processes with this in their command line. */
  named(part: string): readonly SeenProcess[];
}

const EVERY_MS = 5;

export function watchChildren(): ChildWatch {
  const seen = new Map<number, { commands: Set<string>; environments: Set<string> }>();
  const look = (): void => {
    for (const pid of descendantsOf(process.pid)) {
      const found = seen.get(pid) ?? { commands: new Set<string>(), environments: new Set<string>() };
      seen.set(pid, found);
      found.commands.add(textOf(pid, 'cmdline'));
      found.environments.add(textOf(pid, 'environ'));
    }
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    seen,
    named: (part) => [...seen.values()].filter(({ commands }) => [...commands].join('\n').includes(part)),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function descendantsOf(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOf(Number(name), 'stat');
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === root || (parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

/** Empty when it is gone. */
function textOf(pid: number, file: 'stat' | 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

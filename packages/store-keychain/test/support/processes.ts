import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function factsOf(pid: string): ProcessFacts | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), state };
  } catch {
    return undefined;
  }
}

export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export function environmentOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, 'utf8');
}

/** Running helper processes that this process has started. */
export function helpersOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => factsOf(pid) ?? [])
    .filter(
      (facts) =>
        facts.parent === parent && facts.state !== 'Z' && commandOf(facts.pid).includes('helper-main'),
    )
    .map(({ pid }) => pid);
}

export function isRunning(pid: number): boolean {
  const facts = factsOf(String(pid));
  return facts !== undefined && facts.state !== 'Z';
}

/** Number of open sockets of a process. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((descriptor) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${descriptor}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

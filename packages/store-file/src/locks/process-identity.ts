import { createHash } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Names one process so well that another one can tell whether it is still there. */
export interface ProcessIdentity {
  /** Machine, boot and container: process ids mean something only where these are equal. */
  readonly machine: string;
  readonly pid: number;
  /** When the process began, so that a reused id is no life sign; `0` where the system does not tell. */
  readonly start: string;
}

const UNKNOWN_START = '0';

export async function identifyProcess(pid: number = process.pid): Promise<ProcessIdentity> {
  return { machine: await machineName(), pid, start: (await statOfProcess(pid))?.start ?? UNKNOWN_START };
}

/** True only where it is certain: same machine, and no such process any more. */
export async function isDead(other: ProcessIdentity, own: ProcessIdentity): Promise<boolean> {
  if (other.machine !== own.machine) return false;
  if (!exists(other.pid)) return true;
  const stat = await statOfProcess(other.pid);
  if (stat === undefined) return false;
  return stat.ended || (other.start !== UNKNOWN_START && stat.start !== other.start);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** A restart and a container give the same process id to another process, hence what goes into the name. */
async function machineName(): Promise<string> {
  const facts = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return createHash('sha256')
    .update([hostname(), ...facts].join('\n'))
    .digest('hex')
    .slice(0, 12);
}

/** Linux only: start time in ticks since boot, and whether nothing but the exit status is left of the process. */
async function statOfProcess(pid: number): Promise<{ start: string; ended: boolean } | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (line === undefined) return undefined;
  // The second field is the name in parentheses, and may hold spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const start = fields[19];
  return start === undefined ? undefined : { start, ended: state === 'Z' || state === 'X' };
}

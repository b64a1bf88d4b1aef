import { randomUUID } from 'node:crypto';
import { identifyProcess, isDead, type ProcessIdentity } from './process-identity.js';

/** A text that is never made twice and says which process made it, for others to see whether that one still runs. */
export async function makeProcessMark(): Promise<string> {
  const { machine, pid, start } = await identifyProcess();
  return `${machine}.${pid}.${start}.${randomUUID()}`;
}

/** True only where it is certain that the process is gone; false for a process of another machine, and for other texts. */
export async function isMarkOfDeadProcess(mark: string): Promise<boolean> {
  const maker = makerOf(mark);
  return maker !== undefined && isDead(maker, await identifyProcess());
}

const MARK = /^([\da-f]{12})\.(\d{1,10})\.(\d{1,20})\.[\da-f-]{36}$/;

function makerOf(mark: string): ProcessIdentity | undefined {
  const [, machine, pid, start] = MARK.exec(mark) ?? [];
  if (machine === undefined || pid === undefined || start === undefined) return undefined;
  return { machine, pid: Number(pid), start };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { identifyProcess, isMarkOfDeadProcess, makeProcessMark } from '@mcp-fittings/toolbox/files';
import { isDeadProcess } from '../src/files/process-identity.js';

/** Starts a program of the shell, and ends it with the scope. */
async function startShell(script: string): Promise<AsyncDisposable & { readonly firstLine: string }> {
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [firstLine] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    firstLine,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

describe.runIf(process.platform === 'linux')('a process of this machine', () => {
  it('has the start time that the kernel tells, whatever its name is', async () => {
    await using shell = await startShell(
      'printf "a) b (c) 1 2" > /proc/$$/comm; echo $$; while :; do sleep 1; done',
    );
    const pid = Number(shell.firstLine);
    const line = await readFile(`/proc/${pid}/stat`, 'utf8');
    expect(line).toContain('(a) b (c) 1 2)');
    const { start } = await identifyProcess(pid);
    // Field 22 of proc(5); the name, field 2, ends with the last parenthesis.
    expect(start).toBe(line.slice(line.lastIndexOf(')') + 2).split(' ')[22 - 3]);
    expect(Number(start)).toBeGreaterThan(1000);
  });

  it('is dead when it has ended, is a zombie, or started at another time', async () => {
    const own = await identifyProcess();
    expect(await isDeadProcess(own, own)).toBe(false);
    expect(await isDeadProcess({ ...own, start: '1' }, own)).toBe(true);
    expect(await isDeadProcess({ ...own, start: '0' }, own), 'the start is not known').toBe(false);
    expect(await isDeadProcess({ ...own, machine: 'another', start: '1' }, own)).toBe(false);

    const child = spawn('true');
    await once(child, 'exit');
    expect(await isDeadProcess({ ...own, pid: child.pid ?? 0 }, own)).toBe(true);

    // The parent replaces itself by a program that does not ask how its child ended.
    await using parent = await startShell('sleep 0.01 & echo $!; exec sleep 60');
    const pid = Number(parent.firstLine);
    const state = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.[0];
    while ((await state()) !== 'Z') await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await isDeadProcess({ ...own, pid, start: '0' }, own)).toBe(true);
  });

  it('leaves marks that differ, and that tell whether it lives', async () => {
    const [one, other] = [await makeProcessMark(), await makeProcessMark()];
    expect(one).not.toBe(other);
    expect(await isMarkOfDeadProcess(one)).toBe(false);
    const [machine, pid, , id] = one.split('.');
    expect(await isMarkOfDeadProcess([machine, pid, '1', id].join('.'))).toBe(true);
    expect(await isMarkOfDeadProcess([machine, pid, '1', id, 'x'].join('.')), 'not a mark').toBe(false);
    expect(await isMarkOfDeadProcess(['0123456789ab', pid, '1', id].join('.')), 'another machine').toBe(
      false,
    );
  });
});

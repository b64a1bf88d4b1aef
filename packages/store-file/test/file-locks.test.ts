import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { createManualClock, type ManualClock } from '@mcp-fittings/testkit/clock';
import { fileStore } from '@mcp-fittings/store-file';
import { FileLocks, entryName } from '@mcp-fittings/toolbox/stores';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identifyProcess } from '@mcp-fittings/toolbox/files';
import { foreignHolder } from './support/foreign-holder.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const ELSEWHERE = { machine: 'abcabcabcabc', pid: 1, start: '0' };
const NO_PID = 2 ** 22 + 1;

let temporary: TemporaryDirectory;
let directory: string;
beforeEach(async () => {
  temporary = await temporaryDirectory();
  directory = join(temporary.path, 'locks');
});
afterEach(() => temporary[Symbol.asyncDispose]());

/** Lets the waiting code reach its next timer, then advances the time. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(ms);
}

/** Advances time in steps until the promise settles; resolves with how much it took. */
async function passUntil(
  clock: ManualClock,
  promise: Promise<unknown>,
  step: number,
  onStep?: (elapsed: number) => Promise<void>,
): Promise<number> {
  const state = { settled: false };
  const settle = (): void => {
    state.settled = true;
  };
  void promise.then(settle, settle);
  const begin = clock.now();
  while (!state.settled) {
    await onStep?.(clock.now() - begin);
    if (clock.pending > 0) await clock.advance(step);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return clock.now() - begin;
}

it.each([
  ['a dead process of this machine', NO_PID],
  ['a process whose id was reused', process.pid],
])('takes the lock of %s at once', async (_, pid) => {
  const { machine } = await identifyProcess();
  await foreignHolder(directory, 'name', { machine, pid, start: '1' });
  const clock = createManualClock();
  // No time passes, so the lock was not taken because of silence.
  await expect(new FileLocks({ directory, clock }).run('name', async () => 'mine')).resolves.toBe('mine');
});

it('takes the lock of a zombie process', async () => {
  // The shell becomes `sleep`, which never reads the exit status of the child that the shell started. The child waits until
  // then, because a shell would read it.
  const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 60 3<&-'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  try {
    const pid = await new Promise<number>((resolve) =>
      parent.stdout?.once('data', (text) => resolve(Number(text))),
    );
    const until = async (file: string, words: string): Promise<void> => {
      while (!(await readFile(file, 'utf8')).includes(words)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await until(`/proc/${parent.pid}/comm`, 'sleep');
    // A pipe, as requested above; the type allows three kinds.
    (parent.stdio[3] as Writable).end();
    await until(`/proc/${pid}/stat`, ') Z ');
    const { machine, start } = await identifyProcess(pid);
    await foreignHolder(directory, 'name', { machine, pid, start });
    const clock = createManualClock();
    await expect(new FileLocks({ directory, clock }).run('name', async () => 'mine')).resolves.toBe('mine');
  } finally {
    parent.kill('SIGKILL');
    await new Promise((resolve) => parent.once('close', resolve));
  }
});

it('waits for a live process, then rejects with STORE_BUSY', async () => {
  const holder = await foreignHolder(directory, 'name', await identifyProcess());
  const clock = createManualClock();
  const waiting = new FileLocks({ directory, clock, staleMs: 60_000, waitMs: 5000 }).run(
    'name',
    async () => 1,
  );
  const rejected = expect(waiting).rejects.toMatchObject({
    code: 'STORE_BUSY',
    kind: 'auth',
    retryable: true,
  });
  expect(await passUntil(clock, waiting, 50)).toBeGreaterThanOrEqual(5000);
  await rejected;
  expect(await holder.holds()).toBe(true);
});

it('takes the lock of a holder on another machine only after silence', async () => {
  await foreignHolder(directory, 'name', { ...ELSEWHERE, pid: NO_PID });
  const clock = createManualClock();
  const waiting = new FileLocks({ directory, clock, staleMs: 10_000 }).run('name', async () => 'mine');
  expect(await passUntil(clock, waiting, 50)).toBeGreaterThanOrEqual(10_000);
  await expect(waiting).resolves.toBe('mine');
});

it('leaves the lock to a holder on another machine that shows signs of life, whatever its clock says', async () => {
  const holder = await foreignHolder(directory, 'name', ELSEWHERE);
  const clock = createManualClock({ now: 1_000_000_000 });
  const locks = new FileLocks({ directory, clock, staleMs: 1000, waitMs: 20_000 });
  const waiting = locks.run('name', async () => 1);
  const rejected = expect(waiting).rejects.toMatchObject({ code: 'STORE_BUSY' });
  // Its clock is decades behind: only a change of the sign counts.
  await passUntil(clock, waiting, 50, (elapsed) => holder.beat(Math.floor(elapsed / 500)));
  await rejected;
  expect(await holder.holds()).toBe(true);
});

it('does not count the time that this machine was asleep as silence of the holder', async () => {
  const holder = await foreignHolder(directory, 'name', ELSEWHERE);
  const clock = createManualClock();
  const locks = new FileLocks({ directory, clock, staleMs: 10_000, waitMs: 10 * 3_600_000 });
  const waiting = locks.run('name', async () => 'mine');
  await pass(clock, 50);
  await pass(clock, 3_600_000);
  for (let n = 0; n < 20; n++) await pass(clock, 50);
  expect(await holder.holds()).toBe(true);
  await passUntil(clock, waiting, 50);
  await expect(waiting).resolves.toBe('mine');
});

it('shows signs of life while the work lasts, and aborts its signal when the lock is lost', async () => {
  const clock = createManualClock({ now: 1_700_000_000_000 });
  const locks = new FileLocks({ directory, clock, staleMs: 4000 });
  const folder = join(directory, entryName('name'));
  await locks.run('name', async (signal) => {
    const beat = async (): Promise<number> => {
      const [file] = await readdir(folder);
      return (await stat(join(folder, file ?? ''))).mtimeMs;
    };
    await pass(clock, 1000);
    await expect.poll(beat).toBe(1_700_000_001_000);
    await pass(clock, 1000);
    await expect.poll(beat).toBe(1_700_000_002_000);
    await locks.assertNotLost('name');
    await rm(folder, { recursive: true });
    expect(signal.aborted).toBe(false);
    await expect(locks.assertNotLost('name')).rejects.toMatchObject({ code: 'STORE_LOCK_LOST' });
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ code: 'STORE_LOCK_LOST' });
  });
  await locks.assertNotLost('name');
  // And the lock is created again.
  expect(await locks.run('name', async () => 'free')).toBe('free');
});

it('notices the loss by itself, at the next sign of life', async () => {
  const clock = createManualClock();
  const locks = new FileLocks({ directory, clock, staleMs: 4000 });
  await locks.run('name', async (signal) => {
    await rm(join(directory, entryName('name')), { recursive: true });
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await passUntil(clock, aborted, 100);
  });
});

it('leaves no timer behind', async () => {
  const clock = createManualClock();
  await new FileLocks({ directory, clock }).run('name', async () => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.pending).toBe(0);
});

it('refuses a lock directory that others can write to', async () => {
  await mkdir(directory, { mode: 0o777 });
  await chmod(directory, 0o777);
  await expect(new FileLocks({ directory }).run('name', async () => 1)).rejects.toMatchObject({
    code: 'STORE_INSECURE',
  });
});

it('serves the callers of one process first come, first served', async () => {
  const store = fileStore({ path: join(temporary.path, 'store'), consent: () => true });
  const order = Array.from({ length: 50 }, (_, index) => index);
  const entered: number[] = [];
  await Promise.all(order.map((index) => store.withLock('key', async () => void entered.push(index))));
  expect(entered).toEqual(order);
});

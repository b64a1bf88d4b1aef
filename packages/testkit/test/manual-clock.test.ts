import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';

describe('createManualClock', () => {
  it('stands still until it is advanced', async () => {
    const clock = createManualClock({ now: 1000 });
    const ran: string[] = [];
    clock.schedule(() => ran.push('late'), 11);
    clock.schedule(() => ran.push('due'), 10);
    expect([clock.now(), clock.pending, clock.nextIn]).toEqual([1000, 2, 10]);
    await clock.advance(10);
    expect([clock.now(), clock.pending, clock.nextIn]).toEqual([1010, 1, 1]);
    expect(ran).toEqual(['due']);
  });

  it('runs tasks in order of their time, then of their age, each at its own time', async () => {
    const clock = createManualClock();
    const ran: string[] = [];
    const note = (name: string): void => void ran.push(`${name}@${String(clock.now())}`);
    clock.schedule(() => note('b'), 20);
    clock.schedule(() => note('a'), 10);
    clock.schedule(() => note('c'), 20);
    clock.schedule(() => note('now'), -5);
    await clock.advance(100);
    expect(ran).toEqual(['now@0', 'a@10', 'b@20', 'c@20']);
    expect(clock.now()).toBe(100);
  });

  it('runs what promise work sets on the way, when it falls due within the same advance', async () => {
    const clock = createManualClock();
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => void clock.schedule(resolve, ms));
    const ran: number[] = [];
    const work = (async () => {
      for (const ms of [10, 20, 30]) {
        await sleep(ms);
        ran.push(clock.now());
      }
    })();
    await clock.advance(60);
    expect(ran).toEqual([10, 30, 60]);
    await work;
  });

  it('lets pending promise work schedule before it looks at its timers', async () => {
    const clock = createManualClock();
    let ran = false;
    void Promise.resolve().then(() => clock.schedule(() => void (ran = true), 5));
    await clock.advance(5);
    expect(ran).toBe(true);
  });

  it('forgets a disposed timer', async () => {
    const clock = createManualClock();
    let ran = false;
    const timer = clock.schedule(() => void (ran = true), 5);
    timer[Symbol.dispose]();
    expect([clock.pending, clock.nextIn]).toEqual([0, undefined]);
    await clock.advance(10);
    expect(ran).toBe(false);
  });

  it('rejects with what a task throws, and continues', async () => {
    const clock = createManualClock();
    let ran = false;
    clock.schedule(() => {
      throw new Error('task');
    }, 1);
    clock.schedule(() => void (ran = true), 2);
    await expect(clock.advance(10)).rejects.toThrow('task');
    await clock.advance(10);
    expect(ran).toBe(true);
  });
});

import { backoffDelay, systemClock } from '@mcp-fittings/toolbox/timing';
import { assert, double, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('backoffDelay', () => {
  it('doubles from one second to thirty', () => {
    const delays = Array.from({ length: 7 }, (_, attempt) => backoffDelay(attempt, { jitter: 0 }));
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('takes its jitter from `random`, and only shortens the delay', () => {
    expect(backoffDelay(1, { random: () => 0 })).toBe(2000);
    expect(backoffDelay(1, { random: () => 0.5 })).toBe(1800);
    expect(backoffDelay(1, { random: () => 0.5, jitter: 1 })).toBe(1000);
    expect(backoffDelay(1, { random: () => 0.5, jitter: 7 })).toBe(1000);
  });

  it('is an integer within its bounds for any attempt, also the millionth', () => {
    assert(
      property(
        integer({ min: -5, max: 1_000_000 }),
        integer({ min: 0, max: 100_000 }),
        integer({ min: 0, max: 100_000 }),
        double({ min: 1, max: 10, noNaN: true }),
        double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, initialMs, maxMs, factor, chance) => {
          const delay = backoffDelay(attempt, { initialMs, maxMs, factor, random: () => chance });
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(maxMs);
        },
      ),
    );
  });
});

describe('systemClock', () => {
  it('runs a task once, not a disposed one', async () => {
    const ran: string[] = [];
    const disposed = systemClock.schedule(() => ran.push('disposed'), 1);
    disposed[Symbol.dispose]();
    await new Promise<void>((resolve) => {
      systemClock.schedule(() => {
        ran.push('due');
        resolve();
      }, 5);
    });
    expect(ran).toEqual(['due']);
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  });

  it('does not run a task of ten years at once', async () => {
    let ran = false;
    const timer = systemClock.schedule(() => void (ran = true), 10 * 365 * 86_400_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    timer[Symbol.dispose]();
    expect(ran).toBe(false);
  });

  it('does not keep the process alive with `unref`', () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const [holding, free] = [
      systemClock.schedule(() => undefined, 1000),
      systemClock.schedule(() => undefined, 1000, { unref: true }),
    ];
    expect(timers()).toBe(before + 1);
    holding[Symbol.dispose]();
    free[Symbol.dispose]();
  });
});

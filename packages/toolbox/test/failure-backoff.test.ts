import { FailureBackoff } from '@mcp-fittings/toolbox/refusal';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { describe, expect, it } from 'vitest';

describe('a renewal that failed', () => {
  it.each([
    ['an hour', 3_600_000],
    ['a year', 31_536_000_000],
  ])('is tried again after the clock was set back by %s', (_, back) => {
    let now = 1_800_000_000_000;
    const clock = { ...systemClock, now: () => now };
    const pause = new FailureBackoff<string>(clock);
    pause.failed('t', () => Promise.resolve('known'));
    now += 1000;
    expect(pause.answer('t')).toBeDefined();
    now -= back;
    expect(pause.answer('t')).toBeUndefined();
  });
});

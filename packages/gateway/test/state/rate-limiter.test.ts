import type { SharedState } from '@mcp-fittings/client-core';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { describe, expect, it } from 'vitest';
import { RateLimiter, type RateLimit } from '../../src/state/rate-limiter.js';
import { createMemoryState } from '../../src/state/memory-state.js';

const MINUTE_MS = 60_000;
const [ann, bob] = ['ann', 'bob'].map((principal) => ({ id: `issuer ${principal}`, principal }));
if (ann === undefined || bob === undefined) throw new Error('no callers');

describe('rate limits', () => {
  const setup = (limits: readonly RateLimit[]) => {
    const clock = createManualClock();
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const logger = { debug: log, info: log, warn: log, error: log };
    const shared = createMemoryState({ clock });
    let isAway = false;
    const state: SharedState = {
      ...shared,
      admit: (wanted) => (isAway ? Promise.reject(new Error('away')) : shared.admit(wanted)),
    };
    const open = () => new RateLimiter({ limits, state, clock, logger });
    return { clock, logged, open, setAway: (value: boolean) => (isAway = value) };
  };
  const code = (work: Promise<void>): Promise<string> =>
    work.then(
      () => 'ok',
      (error: { code: string }) => error.code,
    );

  it('refuses with RATE_LIMITED, not-sent and the time to wait, on any replica', async () => {
    const { clock, open } = setup([{ per: 'principal', requests: 2, intervalMs: MINUTE_MS }]);
    const [one, two] = [open(), open()];
    await one.admit(ann, 'notes');
    await two.admit(ann, 'mail');
    await expect(one.admit(ann, 'notes')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      delivery: 'not-sent',
      retryable: true,
      server: 'notes',
      details: { retryAfterMs: MINUTE_MS / 2 },
    });
    expect(one.counts).toEqual({ refused: 1, local: 0 });
    await one.admit(bob, 'notes');
    await clock.advance(MINUTE_MS / 2);
    await two.admit(ann, 'notes');
  });

  it('does not ask the shared state again before a refused person can be admitted', async () => {
    const asked: string[] = [];
    const clock = createManualClock();
    const memory = createMemoryState({ clock });
    const state: SharedState = {
      ...memory,
      admit(wanted) {
        asked.push(wanted.map(({ key }) => key).join());
        return memory.admit(wanted);
      },
    };
    const limits = [{ per: 'principal+server', requests: 1, intervalMs: MINUTE_MS }] as const;
    const limiter = new RateLimiter({ limits, state, clock });
    await limiter.admit(ann, 'notes');
    expect(await code(limiter.admit(ann, 'notes'))).toBe('RATE_LIMITED');
    expect(asked).toHaveLength(2);
    await clock.advance(MINUTE_MS - 1);
    await expect(limiter.admit(ann, 'notes')).rejects.toMatchObject({ details: { retryAfterMs: 1 } });
    expect(asked).toHaveLength(2);
    expect(limiter.counts.refused).toBe(2);
    // Neither another server nor another person is refused for it.
    await limiter.admit(ann, 'mail');
    await limiter.admit(bob, 'notes');
    await limiter.admit({ id: 'ann' }, 'notes');
    await clock.advance(1);
    expect(await code(limiter.admit(ann, 'notes'))).toBe('ok');
  });

  it('counts per principal, per server, or both', async () => {
    const intervalMs = MINUTE_MS;
    const perServer = setup([{ per: 'server', requests: 1, intervalMs }]).open();
    await perServer.admit(ann, 'notes');
    expect(await code(perServer.admit(bob, 'notes'))).toBe('RATE_LIMITED');
    expect(await code(perServer.admit(bob, 'mail'))).toBe('ok');
    const both = setup([{ per: 'principal+server', requests: 1, intervalMs }]).open();
    await both.admit(ann, 'notes');
    expect(await code(both.admit(bob, 'notes'))).toBe('ok');
    expect(await code(both.admit(ann, 'mail'))).toBe('ok');
    expect(await code(both.admit(ann, 'notes'))).toBe('RATE_LIMITED');
  });

  it('a caller without a principal does not share the counter of a person of that name', async () => {
    const limiter = setup([{ per: 'principal', requests: 1, intervalMs: MINUTE_MS }]).open();
    await limiter.admit(ann, 'notes');
    expect(await code(limiter.admit({ id: 'ann' }, 'notes'))).toBe('ok');
    expect(await code(limiter.admit({ id: 'ann' }, 'notes'))).toBe('RATE_LIMITED');
  });

  it('without the shared state, counts by itself, says so once, and returns to it', async () => {
    const { clock, logged, open, setAway } = setup([{ per: 'server', requests: 3, intervalMs: MINUTE_MS }]);
    const limiter = open();
    await limiter.admit(ann, 'notes');
    setAway(true);
    const whileAway = [];
    for (let at = 0; at < 5; at++) whileAway.push(await code(limiter.admit(ann, 'notes')));
    expect(whileAway).toEqual(['ok', 'ok', 'ok', 'RATE_LIMITED', 'RATE_LIMITED']);
    expect(limiter.counts).toEqual({ refused: 2, local: 5 });
    expect(logged).toEqual([expect.stringContaining('by this replica alone')]);
    setAway(false);
    await clock.advance(1000);
    expect(await code(limiter.admit(ann, 'notes'))).toBe('ok');
    expect(logged[1]).toContain('together again');
    expect(limiter.counts.local).toBe(5);
  });

  it('one request at a time waits for a shared state that does not answer', async () => {
    const clock = createManualClock();
    const fail: (() => void)[] = [];
    const admit = () => new Promise<never>((_, reject) => fail.push(() => reject(new Error('away'))));
    const limits = [{ per: 'server', requests: 9, intervalMs: MINUTE_MS }] as const;
    const state = { ...createMemoryState({ clock }), admit };
    const limiter = new RateLimiter({ limits, state, clock });
    for (const round of [0, 1]) {
      const first = limiter.admit(ann, 'notes');
      if (round > 0) await limiter.admit(bob, 'notes');
      fail.at(-1)?.();
      await first;
      await clock.advance(1000);
    }
    expect(fail).toHaveLength(2);
  });

  it.each([
    { per: 'server', requests: 0, intervalMs: 1 },
    { per: 'server', requests: 1, intervalMs: 0 },
    { per: 'server', requests: Number.NaN, intervalMs: 1 },
  ] as const)('refuses the limit %j', (limit) => {
    expect(() => setup([limit]).open()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

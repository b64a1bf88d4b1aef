import { createManualClock } from '@mcp-fittings/testkit/clock';
import { expect, it } from 'vitest';
import { createMemoryState } from '../../src/state/memory-state.js';
import { sharedStateCases } from '../support/shared-state-cases.js';

sharedStateCases('in memory', async () => {
  const state = createMemoryState();
  return { open: async () => state, [Symbol.asyncDispose]: async () => undefined };
});

it('a limit admits at its rate, not at twice its rate at the border of two intervals', async () => {
  const clock = createManualClock();
  const state = createMemoryState({ clock });
  const limit = { key: 'ann', requests: 10, intervalMs: 10_000 };
  const admitted = async (): Promise<number> => {
    let count = 0;
    while ((await state.admit([limit])).admitted) count++;
    return count;
  };
  expect(await admitted()).toBe(10);
  await clock.advance(999);
  expect(await state.admit([limit])).toEqual({ admitted: false, retryAfterMs: 1 });
  await clock.advance(1);
  expect(await admitted()).toBe(1);
  await clock.advance(5000);
  expect(await admitted()).toBe(5);
  await clock.advance(60_000);
  expect(await admitted()).toBe(10);
});

it('what is kept does not slow down each addition', async () => {
  let looks = 0;
  const clock = { ...createManualClock(), now: () => (looks++, 0) };
  const state = createMemoryState({ clock });
  const fill = async (from: number): Promise<void> => {
    for (let at = from; at < from + 1500; at++) await state.set(`r${at}`, at, { lifetimeMs: 1000 });
  };
  looks = 0;
  await fill(0);
  const first = looks;
  await fill(1500);
  expect(looks - first).toBe(first);
});

it('expired records and limits do not fill the memory', async () => {
  const clock = createManualClock();
  const state = createMemoryState({ clock });
  for (let at = 0; at < 1500; at++) {
    await state.set(`r${at}`, at, { lifetimeMs: 1000 });
    await state.admit([{ key: `l${at}`, requests: 1, intervalMs: 1000 }]);
  }
  await clock.advance(2000);
  await state.set('new', 1, { lifetimeMs: 1000 });
  expect(await state.get('r0')).toBeUndefined();
  expect((await state.get('new'))?.value).toBe(1);
  expect(await state.admit([{ key: 'l0', requests: 1, intervalMs: 1000 }])).toEqual({ admitted: true });
});

import { expect, it } from 'vitest';
import { createLifetime, type Lifetime, untilEnd } from '@mcp-fittings/toolbox/timing';

it('ends once and runs its tasks; runs a later task at once', () => {
  const lifetime = createLifetime();
  const done: string[] = [];
  lifetime.onEnd(() => done.push('first'));
  const takeBack = lifetime.onEnd(() => done.push('taken back'));
  takeBack();
  lifetime.end();
  lifetime.end();
  lifetime.onEnd(() => done.push('late'));
  expect(done).toEqual(['first', 'late']);
  expect(lifetime.ended).toBe(true);
});

it('ends with its parent, and unregisters from it when it ends earlier', () => {
  const tasks = new Set<() => void>();
  const parent: Lifetime = {
    ended: false,
    onEnd(task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    end: () => undefined,
  };
  const early = createLifetime(parent);
  const late = createLifetime(parent);
  early.end();
  expect(tasks.size).toBe(1);
  for (const task of tasks) task();
  expect(late.ended).toBe(true);
});

it('holds work up no longer than it lasts', async () => {
  const never = new Promise<string>(() => undefined);
  const lifetime = createLifetime();
  const waiting = untilEnd(lifetime, never);
  expect(await untilEnd(lifetime, Promise.resolve('done'))).toBe('done');
  await expect(untilEnd(lifetime, Promise.reject(new RangeError('failed')))).rejects.toThrow(RangeError);
  lifetime.end();
  expect(await waiting).toBeUndefined();
});

import { expect, test } from 'vitest';
import { InFlight } from '../src/base-transport/in-flight.js';
import { RecentMap } from '../src/base-transport/recent-map.js';

test('tells the id 1 from the id "1"', () => {
  const inFlight = new InFlight<string>();
  inFlight.set(1, 'number');
  inFlight.set('1', 'text');
  expect([inFlight.get(1), inFlight.get('1'), inFlight.size]).toEqual(['number', 'text', 2]);
});

test('forgets what is deleted, and keeps the rest in order', () => {
  const inFlight = new InFlight<string>();
  for (const id of [1, 2, 3]) inFlight.set(id, `of ${id}`);
  expect(inFlight.delete(1)).toBe(true);
  expect(inFlight.delete(1)).toBe(false);
  inFlight.set(4, 'of 4');
  inFlight.set(2, 'again');
  expect([inFlight.has(1), inFlight.get(1)]).toEqual([false, undefined]);
  expect(inFlight.ids()).toEqual([2, 3, 4]);
  expect(inFlight.values()).toEqual(['again', 'of 3', 'of 4']);
});

test('a recent map keeps the newest keys, and setting a key makes it the newest', () => {
  const recent = new RecentMap<number, string>(2);
  for (const key of [1, 2, 1, 3]) recent.set(key, `of ${key}`);
  expect([...recent]).toEqual([
    [1, 'of 1'],
    [3, 'of 3'],
  ]);
});

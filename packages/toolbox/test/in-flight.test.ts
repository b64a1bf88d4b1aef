import { expect, test } from 'vitest';
import { InFlight } from '../src/base-transport/in-flight.js';

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

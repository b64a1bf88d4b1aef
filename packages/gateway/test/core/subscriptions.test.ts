import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { Subscriptions } from '../../src/surface/subscriptions.js';

it('asks the server for a client when another one left before its subscription was refused', async () => {
  const answered = new AbortController();
  let asked = 0;
  const subscriptions = new Subscriptions({
    async subscribe() {
      if (++asked > 1) return;
      await once(answered.signal, 'abort');
      throw new Error('Not now.');
    },
    unsubscribe: async () => undefined,
  });
  const ref = { server: 'one', uri: 'memo://a' };
  const [first, second] = [subscriptions.of(ref, undefined), subscriptions.of(ref, undefined)];
  const refused = expect(first.begin()).rejects.toThrow('Not now.');
  await vi.waitFor(() => expect(asked).toBe(1));
  const accepted = second.begin();
  const left = first.end();
  answered.abort();
  await Promise.all([refused, accepted, left]);
  expect(asked).toBe(2);
});

import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { ANYBODY, gatewayOver, listen, toyServer } from './support.js';
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

it('subscribes a resource that a stream names twice once, and says which of too many it watches', async () => {
  const asked: string[] = [];
  const resources = ['a', 'b', 'c'].map((name) => ({ name, uri: `memo://${name}` }));
  const onRequest = (method: string, params: object): void => {
    if (method.endsWith('subscribe')) asked.push(`${method} ${String(Reflect.get(params, 'uri'))}`);
  };
  await using gateway = await gatewayOver(
    { one: () => toyServer({ resources, onRequest }) },
    { limits: { subscriptions: 2 } },
  );
  const told: unknown[] = [];
  const uris = ['memo://a', 'memo://a', 'memo://b', 'memo://c'];
  const stop = listen(gateway.surface, ANYBODY, { resourceSubscriptions: uris }, (_, params) =>
    told.push(params['notifications']),
  );
  expect(told).toEqual([{ resourceSubscriptions: ['memo://a', 'memo://b'] }]);
  const subscribed = ['resources/subscribe memo://a', 'resources/subscribe memo://b'];
  await expect.poll(() => asked).toEqual(subscribed);
  stop();
  const ended = ['resources/unsubscribe memo://a', 'resources/unsubscribe memo://b'];
  await expect.poll(() => asked).toEqual([...subscribed, ...ended]);
});

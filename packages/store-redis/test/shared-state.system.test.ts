import type { ReplicaMembership } from '@mcp-fittings/client-core';
import { redisSharedState, type RedisClient, type RedisSharedStateOptions } from '@mcp-fittings/store-redis';
import { createCluster } from 'redis';
import { describe, expect, it } from 'vitest';
import { sharedStateCases } from '../../gateway/test/support/shared-state-cases.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import { startRedis, type RedisServer } from './support/redis-server.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });
const patiently = { timeout: 15_000, interval: 20 };
const MINUTE = { lifetimeMs: 60_000 };

describeWithRedis('what the replicas of a gateway share on a real Redis', () => {
  let redis: RedisServer;
  let client: RedisClient;
  const open = (options: Partial<RedisSharedStateOptions> = {}) =>
    redisSharedState({ client, key, pollMs: 50, ...options });

  for (const kind of ['redis', 'ioredis'] as const) {
    describe(`through ${kind}`, () => {
      useRedis(kind, (server, opened) => {
        redis = server;
        client = opened;
      });
      sharedStateCases(`on Redis through ${kind}`, async () => ({
        open: async () => open(),
        [Symbol.asyncDispose]: async () => undefined,
      }));
    });
  }

  describe('hostile and unreliable', () => {
    useRedis('redis', (server, opened) => {
      redis = server;
      client = opened;
    });

    it('a record of another entry, of another key and of another program counts as absent', async () => {
      const state = open();
      await state.set('a', { of: 'a' }, MINUTE);
      const first = await redis.cli('--raw', 'KEYS', '*');
      expect(await redis.cli('--raw', 'GET', first)).not.toContain('"of"');
      await state.set('b', { of: 'b' }, MINUTE);
      const second = (await redis.cli('--raw', 'KEYS', '*')).split('\n').find((name) => name !== first) ?? '';
      await redis.cli('SET', second, await redis.cli('--raw', 'GET', first));
      expect([(await state.get('a'))?.value, await state.get('b')]).toEqual([{ of: 'a' }, undefined]);
      const other = open({ key: () => ({ id: 'test', bytes: new Uint8Array(32) }) });
      expect(await other.get('a')).toBeUndefined();
      expect(await open({ namespace: 'other' }).get('a')).toBeUndefined();
      await redis.cli('SET', first, '{"of":"evil"}');
      expect(await state.get('a')).toBeUndefined();
    });

    it('a message that another program wrote, or that was for another replica, is dropped', async () => {
      const state = open();
      const received: unknown[] = [];
      await using a = await joined(state.join((message) => received.push(message)));
      await using b = await joined(state.join(() => undefined));
      const members = (await redis.cli('--raw', 'KEYS', '*'))
        .split('\n')
        .find((name) => !name.includes(a.id));
      const inbox = `${members}:${a.id}`;
      await redis.cli('RPUSH', inbox, '{"id":"1","from":"x","body":"evil"}', 'no JSON');
      redis.suspend();
      redis.resume();
      await b.send(a.id, 'last');
      await expect.poll(() => received, patiently).toEqual(['last']);
    });

    it('a lost reply repeats no message, and loses none', async () => {
      const losing: RedisClient = {
        async eval(script, options) {
          const reply = await client.eval(script, options);
          if (Math.random() < 0.5) throw new Error('the connection was closed');
          return reply;
        },
      };
      const state = redisSharedState({ client: losing, key, pollMs: 20, timeoutMs: 10_000 });
      const received: unknown[] = [];
      await using a = await joined(state.join((message) => received.push(message)));
      await using b = await joined(state.join(() => undefined));
      const numbers = Array.from({ length: 40 }, (_, at) => at);
      for (const number of numbers) await b.send(a.id, number);
      await expect.poll(() => received.length, patiently).toBe(40);
      await b.send(a.id, 'last');
      await expect.poll(() => received, patiently).toEqual([...numbers, 'last']);
    });
  });

  it('records, messages and replicas outlive a restart of a Redis that writes to its disk', async () => {
    await using server = await startRedis({ persistent: true });
    const own = await openClient({ client: 'redis', port: server.port });
    // `a` looks so seldom that the message is still in its inbox when Redis ends.
    const slow = redisSharedState({ client: own, key, pollMs: 3000, timeoutMs: 10_000 });
    const received: unknown[] = [];
    await using a = await joined(slow.join((message) => received.push(message)));
    await using b = await joined(slow.join(() => undefined));
    await slow.set('session', { id: 1 }, MINUTE);
    expect(await b.send(a.id, 'kept')).toBe(true);
    await server.kill();
    const impatient = redisSharedState({ client: own, key, timeoutMs: 50 });
    await expect(impatient.get('session')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(impatient.admit([{ key: 'k', requests: 1, intervalMs: 1000 }])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await server.start();
    await expect.poll(() => received, patiently).toEqual(['kept']);
    expect((await slow.get('session'))?.value).toEqual({ id: 1 });
    expect((await b.replicas()).toSorted()).toEqual([a.id, b.id].toSorted());
    await a.leave();
    await b.leave();
    await own[Symbol.asyncDispose]();
  });

  it('after a Redis that lost everything, replicas are found again', async () => {
    await using server = await startRedis();
    const own = await openClient({ client: 'redis', port: server.port });
    const state = redisSharedState({ client: own, key, pollMs: 50, timeoutMs: 10_000 });
    await using a = await joined(state.join(() => undefined));
    await using b = await joined(state.join(() => undefined));
    await server.kill();
    await server.start();
    await expect
      .poll(async () => (await b.replicas()).toSorted(), patiently)
      .toEqual([a.id, b.id].toSorted());
    await a.leave();
    await b.leave();
    await own[Symbol.asyncDispose]();
  });

  it('works on a cluster, where all keys of a script must be in one slot', async () => {
    await using server = await startRedis({ cluster: true });
    await server.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => server.cli('CLUSTER', 'INFO'), patiently).toContain('cluster_state:ok');
    const cluster = createCluster({ rootNodes: [{ url: server.url }] });
    cluster.on('error', () => undefined);
    await cluster.connect();
    const state = redisSharedState({ client: cluster, key, pollMs: 20 });
    const received: unknown[] = [];
    const a = await joined(state.join((message) => received.push(message)));
    await state.set('a', 1, MINUTE);
    expect((await state.get('a'))?.value).toBe(1);
    await a.send(a.id, 'hello');
    await expect.poll(() => received, patiently).toEqual(['hello']);
    const limits = ['x', 'y', 'z'].map((name) => ({ key: name, requests: 1, intervalMs: 60_000 }));
    expect(await state.admit(limits)).toEqual({ admitted: true });
    expect(await state.admit(limits)).toMatchObject({ admitted: false });
    await a.leave();
    cluster.destroy();
  });
});

async function joined(replica: ReplicaMembership): Promise<ReplicaMembership & AsyncDisposable> {
  await replica.joined;
  return Object.assign(replica, { [Symbol.asyncDispose]: () => replica.leave() });
}

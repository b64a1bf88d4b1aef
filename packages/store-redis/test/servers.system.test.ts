import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { TokenStore } from '@mcp-fittings/client-core';
import { fromIoredis, redisStore, type RedisClient } from '@mcp-fittings/store-redis';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { startRedis, type RedisServer } from './support/redis-server.js';
import { startSentinel } from './support/sentinel.js';

const patiently = { timeout: 15_000, interval: 50 };
const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

/** Every operation of a store. */
async function exercise(store: TokenStore): Promise<void> {
  await store.withLock('a', async () => {
    await store.set('a', { refreshToken: 'r1' });
    expect(await store.get('a')).toEqual({ refreshToken: 'r1' });
  });
  await store.delete('a');
  expect(await store.get('a')).toBeUndefined();
}

describeWithRedis('servers as in production', () => {
  describe('TLS, and a user with only the documented permissions', () => {
    const password = 'canary-password';
    let redis: RedisServer;
    let ca: Buffer;
    beforeAll(async () => {
      redis = await startRedis({ secured: { password } });
      ca = await readFile(redis.ca ?? '');
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    const nodeRedis = async (given = password) => {
      const url = redis.url;
      const client = createClient({ url, username: 'fittings', password: given, socket: { tls: true, ca } });
      client.on('error', () => undefined);
      return client;
    };

    it('through redis', async () => {
      const client = await nodeRedis();
      await client.connect();
      await exercise(redisStore({ client, key }));
      client.destroy();
    });

    it('through ioredis', async () => {
      const { port } = redis;
      const client = new Redis({ host: '127.0.0.1', port, username: 'fittings', password, tls: { ca } });
      await exercise(redisStore({ client: fromIoredis(client), key }));
      client.disconnect();
    });

    it('another namespace: STORE_UNAVAILABLE with NOPERM, without a retry', async () => {
      const client = await nodeRedis();
      await client.connect();
      const store = redisStore({ client, key, namespace: 'other', timeoutMs: 60_000 });
      const all = await Promise.allSettled([
        store.get('a'),
        store.set('a', {}),
        store.withLock('a', async () => undefined),
      ]);
      for (const each of all) {
        expect(each).toMatchObject({
          status: 'rejected',
          reason: {
            code: 'STORE_UNAVAILABLE',
            retryable: false,
            details: { redisCode: 'NOPERM' },
            hint: expect.stringContaining('namespace'),
          },
        });
      }
      client.destroy();
    });

    it('does not reveal a wrong password in an error', async () => {
      const client = await nodeRedis('wrong-canary');
      const store = redisStore({ client, key, timeoutMs: 200 });
      client.connect().catch(() => undefined);
      const error: unknown = await store.get('a').catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(JSON.stringify(error) + String(error)).not.toContain('canary');
      client.destroy();
    });
  });

  it('a cluster, where all keys of a script must be in one slot', async () => {
    await using redis = await startRedis({ cluster: true });
    await redis.cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await expect.poll(() => redis.cli('CLUSTER', 'INFO'), patiently).toContain('cluster_state:ok');
    const nodes = [{ host: '127.0.0.1', port: redis.port }];
    const client = createCluster({ rootNodes: [{ url: redis.url }] });
    client.on('error', () => undefined);
    await client.connect();
    await exercise(redisStore({ client, key }));
    client.destroy();
    const other = new Cluster(nodes);
    await exercise(redisStore({ client: fromIoredis(other), key }));
    other.disconnect();
  });

  describe('a primary that dies, and a Sentinel that promotes the replica', () => {
    const clients: Readonly<
      Record<string, (port: number) => Promise<{ client: RedisClient; close: () => unknown }>>
    > = {
      async redis(port) {
        const client = createSentinel({
          name: 'fleet',
          sentinelRootNodes: [{ host: '127.0.0.1', port }],
          scanInterval: 100,
        });
        client.on('error', () => undefined);
        await client.connect();
        return { client, close: () => client.destroy() };
      },
      async ioredis(port) {
        const client = new Redis({ name: 'fleet', sentinels: [{ host: '127.0.0.1', port }] });
        client.on('error', () => undefined);
        await once(client, 'ready');
        return { client: fromIoredis(client), close: () => client.disconnect() };
      },
    };

    it.each(Object.keys(clients))('%s: loses nothing, and refreshes continue', async (kind) => {
      await using primary = await startRedis();
      await using replica = await startRedis({ replicaOf: primary });
      await using sentinel = await startSentinel(primary);
      await expect
        .poll(() => replica.cli('INFO', 'replication'), patiently)
        .toContain('master_link_status:up');
      await expect.poll(() => sentinel.replicas(), patiently).toBe(1);
      const opened = await clients[kind]?.(sentinel.port);
      if (opened === undefined) throw new Error(kind);
      const store = redisStore({ client: opened.client, key, timeoutMs: 20_000, lock: { staleMs: 20_000 } });
      await store.withLock('a', async (signal) => {
        await store.set('a', { refreshToken: 'r1' });
        await expect.poll(() => replica.cli('--raw', 'KEYS', '*:value'), patiently).not.toBe('');
        await primary.kill();
        // The lease was replicated, so the new primary accepts the result of the work.
        await store.set('a', { refreshToken: 'r2' });
        expect(signal.aborted).toBe(false);
      });
      expect(await store.get('a')).toEqual({ refreshToken: 'r2' });
      expect(await replica.cli('ROLE')).toContain('master');
      await store.withLock('a', () => store.delete('a'));
      opened.close();
    });
  });
});

import { systemClock } from '@mcp-fittings/toolbox/timing';
import { redisStore, type RedisClient, type RedisStoreOptions } from '@mcp-fittings/store-redis';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import type { RedisServer } from './support/redis-server.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('leases and fences', () => {
  let redis: RedisServer;
  let client: RedisClient;
  const open = (options: Partial<RedisStoreOptions> = {}) => redisStore({ client, key, ...options });
  const nameOf = (part: string): Promise<string> => redis.cli('--raw', 'KEYS', `*:${part}`);
  /** Expires the lease, so that Redis lets the next holder in. */
  const endLease = async (): Promise<void> => {
    await redis.cli('DEL', await nameOf('lease'));
  };

  useRedis('ioredis', (server, opened) => {
    redis = server;
    client = opened;
  });

  it('renews a lease for as long as the work runs', async () => {
    const [holder, other] = [open({ lock: { staleMs: 300 } }), open({ lock: { staleMs: 300 } })];
    const order: string[] = [];
    let waiting: Promise<unknown> | undefined;
    await holder.withLock('a', async (signal) => {
      waiting = other.withLock('a', async () => order.push('other'));
      await setTimeout(1000);
      expect(signal.aborted).toBe(false);
      await holder.set('a', { by: 'holder' });
      order.push('holder');
    });
    await waiting;
    expect(order).toEqual(['holder', 'other']);
  });

  it('accepts a write after a lease has expired and no one has taken it', async () => {
    const holder = open();
    await holder.withLock('a', async () => {
      await endLease();
      await holder.set('a', { by: 'holder' });
    });
    expect(await open().get('a')).toEqual({ by: 'holder' });
  });

  it('refuses writes and deletions of a holder that lost its lease', async () => {
    const [holder, successor] = [open(), open()];
    await successor.set('a', { by: 'before' });
    await holder.withLock('a', async () => {
      await endLease();
      await successor.withLock('a', async () => {
        const lost = { code: 'STORE_LOCK_LOST', kind: 'auth' };
        await expect(holder.set('a', { by: 'holder' })).rejects.toMatchObject(lost);
        await expect(holder.delete('a')).rejects.toMatchObject(lost);
        await successor.set('a', { by: 'successor' });
      });
    });
    expect(await successor.get('a')).toEqual({ by: 'successor' });
  });

  it('a late release does not end the lease of the successor', async () => {
    const [holder, successor] = [open(), open()];
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const work = holder.withLock('a', () => left);
    await expect.poll(() => nameOf('lease'), { timeout: 10_000 }).not.toBe('');
    await endLease();
    await successor.withLock('a', async () => {
      const lease = await redis.cli('GET', await nameOf('lease'));
      leave();
      await work;
      expect(await redis.cli('GET', await nameOf('lease'))).toBe(lease);
    });
    expect(await nameOf('lease')).toBe('');
  });

  it('a renewal that is tried again after the release does not take the lease again', async () => {
    let renewals = 0;
    const failing: RedisClient = {
      ...client,
      eval(script, given) {
        const isRenewal = script.includes('return 0');
        if (isRenewal) renewals += 1;
        return isRenewal && renewals === 1
          ? Promise.reject(new Error('READONLY You cannot write against a read only replica.'))
          : client.eval(script, given);
      },
    };
    await open({ client: failing, lock: { staleMs: 300 } }).withLock('a', () =>
      expect.poll(() => renewals, { interval: 1, timeout: 10_000 }).toBe(1),
    );
    await expect.poll(() => renewals, { timeout: 10_000 }).toBe(2);
    await open().withLock('other', async () => undefined);
    expect(await nameOf('lease')).toBe('');
  });

  it('an emptied Redis does not accept a write of an old holder', async () => {
    const holder = open();
    await holder.withLock('a', async () => {
      await redis.cli('FLUSHALL');
      await expect(holder.set('a', { by: 'holder' })).rejects.toMatchObject({ code: 'STORE_LOCK_LOST' });
    });
  });

  it('replicas whose clocks differ by an hour see each other’s values in the order of the writes', async () => {
    const [ahead, behind] = [3_600_000, -3_600_000].map((ms) =>
      open({ clock: { ...systemClock, now: () => Date.now() + ms } }),
    );
    if (ahead === undefined || behind === undefined) throw new Error('two stores');
    for (let n = 0; n < 3; n++) {
      await ahead.set('a', { n, by: 'ahead' });
      expect(await behind.get('a')).toEqual({ n, by: 'ahead' });
      await behind.set('a', { n, by: 'behind' });
      expect(await ahead.get('a')).toEqual({ n, by: 'behind' });
      // A process that has never read sees it too.
      await open().set('a', { n, by: 'new' });
      expect([await ahead.get('a'), await behind.get('a')]).toEqual([
        { n, by: 'new' },
        { n, by: 'new' },
      ]);
    }
  });

  it('rejects with STORE_BUSY while a lock is held, and takes it once it is free', async () => {
    const [holder, other] = [open(), open({ lock: { waitMs: 100 } })];
    await holder.withLock('a', async () => {
      await expect(other.withLock('a', async () => undefined)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    });
    await expect(other.withLock('a', async () => 'free')).resolves.toBe('free');
  });
});

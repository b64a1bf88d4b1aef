import { AuthRequiredError, type TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { authorizedFetch, createOAuthProvider } from '@mcp-fittings/auth-oauth';
import { redisStore, type RedisClient } from '@mcp-fittings/store-redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingClient, type CountingClient } from './support/counting-client.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import { startRedis, type RedisServer } from './support/redis-server.js';
import { LIFE_S, startRotatingServer, type RotatingServer } from './support/rotating-server.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });
const patiently = { timeout: 10_000 };
const redirectUri = 'http://127.0.0.1:8080/back';

describeWithRedis('while Redis is down', () => {
  let redis: RedisServer;
  let client: Awaited<ReturnType<typeof openClient>>;
  let counting: CountingClient;
  beforeEach(async () => {
    redis = await startRedis({ persistent: true });
    client = await openClient({ client: 'redis', port: redis.port });
    counting = countingClient(client);
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
  const open = (timeoutMs = 500): TokenStore => redisStore({ client: counting, key, timeoutMs });

  describe('the store', () => {
    const expectUnavailable = async (store: TokenStore): Promise<void> => {
      const all = await Promise.allSettled([
        store.get('a'),
        store.set('a', { a: 2 }),
        store.delete('a'),
        store.withLock('a', async () => 'taken'),
      ]);
      const reason = { code: 'STORE_UNAVAILABLE', retryable: true, kind: 'auth' };
      for (const each of all) expect(each).toMatchObject({ status: 'rejected', reason });
    };

    it('rejects when nothing listens and when Redis does not reply, and recovers', async () => {
      const store = open();
      await store.set('a', { a: 1 });
      await redis.kill();
      await expectUnavailable(store);
      await redis.start();
      await expect.poll(() => store.get('a').catch(() => undefined), patiently).toEqual({ a: 1 });
      redis.suspend();
      await expectUnavailable(store);
      redis.resume();
      await expect(store.withLock('a', async () => 'free')).resolves.toBe('free');
    });

    it('waits for a Redis that restarts within the timeout', async () => {
      const store = open(10_000);
      await store.set('a', { a: 1 });
      await redis.kill();
      const waiting = [store.get('a'), store.withLock('a', async () => 'taken')];
      await redis.start();
      expect(await Promise.all(waiting)).toEqual([{ a: 1 }, 'taken']);
    });

    it('aborts the signal of a holder whose lease expired; a lock that was not taken does not block others', async () => {
      const store = redisStore({ client: counting, key, timeoutMs: 100, lock: { staleMs: 300 } });
      await store.withLock('a', async (signal) => {
        const before = counting.scripts.length;
        await expect.poll(() => counting.scripts.length, patiently).toBeGreaterThan(before);
        await redis.kill();
        await expect.poll(() => signal.aborted, patiently).toBe(true);
        expect(signal.reason).toMatchObject({ code: 'STORE_LOCK_LOST' });
      });
      await redis.start();
      await expect
        .poll(() => store.withLock('a', async () => 'free').catch(() => 'not yet'), patiently)
        .toBe('free');
    });

    it('repeats a write whose reply was lost, and succeeds', async () => {
      const store = open(2000);
      await store.set('a', { a: 1 });
      let lost = 0;
      const losing: RedisClient = {
        async eval(script, options) {
          const reply = await client.eval(script, options);
          if (lost++ === 0) throw new Error('Socket closed unexpectedly');
          return reply;
        },
      };
      const other = redisStore({ client: losing, key, timeoutMs: 2000, lock: { waitMs: 1000 } });
      await other.set('a', { a: 2 });
      expect(lost).toBeGreaterThan(1);
      expect(await store.get('a')).toEqual({ a: 2 });
      lost = 0;
      expect(await other.withLock('a', async () => 'taken')).toBe('taken');
    });
  });

  describe('the replicas', () => {
    let server: RotatingServer;
    let passed: number;
    const clock = { ...systemClock, now: () => Date.now() + passed };
    const replica = (store: TokenStore = open()) =>
      createOAuthProvider({
        url: server.url,
        server: 'test',
        clientName: 'tests',
        clientId: 'fleet',
        store,
        clock,
      });
    const request = () => ({ url: new URL(server.url), method: 'POST' });
    const signIn = async (provider: ReturnType<typeof replica>): Promise<void> => {
      const { url, state } = await provider.startSignIn({ redirectUri });
      await provider.completeSignIn(`${redirectUri}?code=code&state=${state}&iss=${url.origin}`);
    };
    beforeEach(async () => {
      passed = 0;
      server = await startRotatingServer();
    });
    afterEach(() => server[Symbol.asyncDispose]());

    it('a call with a fresh token sends nothing to Redis, as counted by the client and by Redis', async () => {
      const provider = replica();
      await signIn(provider);
      await provider.headers(request());
      const evals = async (): Promise<string | undefined> =>
        /cmdstat_eval:calls=(\d+)/.exec(await redis.cli('INFO', 'commandstats'))?.[1];
      const before = [counting.scripts.length, await evals()];
      const call = authorizedFetch(provider, { url: server.url });
      for (let n = 0; n < 500; n++) await provider.headers(request());
      await Promise.all(Array.from({ length: 20 }, () => call(server.url, { method: 'POST', body: '{}' })));
      expect([counting.scripts.length, await evals()]).toEqual(before);
      expect(before[0]).toBeGreaterThan(0);
    });

    it('keeps using valid tokens; a refresh that is due waits until Redis is back', async () => {
      const provider = replica();
      await signIn(provider);
      const fresh = await provider.headers(request());
      await redis.kill();
      passed = (LIFE_S - 30) * 1000;
      expect(await provider.headers(request())).toEqual(fresh);
      expect(server.refreshes).toBe(0);
      passed = (LIFE_S + 30) * 1000;
      const refused: unknown = await provider.headers(request()).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      expect(refused).not.toBeInstanceOf(AuthRequiredError);
      await redis.start();
      await expect
        .poll(async () => {
          if (server.refreshes === 0) passed += 60_000;
          return (await provider.headers(request()).catch(() => undefined))?.['authorization'];
        }, patiently)
        .toBe('Bearer access-2');
      expect([server.refreshes, server.refused]).toEqual([1, 0]);
    });

    it('an emptied Redis: keeps using valid tokens, then asks the user to sign in and says why', async () => {
      const [first, second] = [replica(), replica()];
      await signIn(first);
      const fresh = await first.headers(request());
      await second.headers(request());
      await redis.cli('FLUSHALL');
      expect(await first.headers(request())).toEqual(fresh);
      passed = (LIFE_S - 30) * 1000;
      expect(await first.headers(request())).toEqual(fresh);
      passed = (LIFE_S + 30) * 1000;
      for (const provider of [first, second]) {
        await expect(provider.headers(request())).rejects.toMatchObject({
          code: 'AUTH_REQUIRED',
          message: expect.stringContaining('Redis has lost a credential that was not deleted'),
          cause: { code: 'STORE_CORRUPT', details: { reason: 'lost' } },
        });
      }
      // One sign-in serves all replicas.
      await signIn(second);
      const healed = { authorization: `Bearer ${server.accessToken}` };
      expect([await first.headers(request()), await second.headers(request())]).toEqual([healed, healed]);
      expect(server.refused).toBe(0);
    });
  });
});

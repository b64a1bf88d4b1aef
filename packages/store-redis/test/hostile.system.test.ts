import { inspect } from 'node:util';
import type { KeySource } from '@mcp-fittings/toolbox/stores';
import { fromIoredis, redisStore, type RedisClient, type RedisStoreOptions } from '@mcp-fittings/store-redis';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import type { RedisServer } from './support/redis-server.js';
import { useRedis } from './support/use-redis.js';

const keyOf = (id: string, fill: number) => ({ id, bytes: new Uint8Array(32).fill(fill) });
const key: KeySource = () => keyOf('2026', 7);
const patiently = { timeout: 10_000 };
const CANARY = 'canary-r1';

describeWithRedis('values in Redis that the store did not write', () => {
  let redis: RedisServer;
  let client: RedisClient;
  const open = (options: Partial<RedisStoreOptions> = {}) => redisStore({ client, key, ...options });
  const names = async (part: string): Promise<string[]> =>
    (await redis.cli('--raw', 'KEYS', `*:${part}`)).split('\n').filter((name) => name !== '');
  const nameOf = async (part = 'value'): Promise<string> => (await names(part))[0] ?? '';
  const read = async (name: string): Promise<string> => redis.cli('--raw', 'GET', name);

  useRedis('redis', (server, opened) => {
    redis = server;
    client = opened;
  });

  it('names and values do not reveal who signs in where', async () => {
    await open().set('oauth\nhttps://mcp.example/notes', { refreshToken: CANARY });
    await open().withLock('oauth\nhttps://mcp.example/notes', async () => {
      const [everything, ...more] = await Promise.all([
        redis.cli('--raw', 'KEYS', '*'),
        ...(await names('*')).map(read),
      ]);
      const text = `${everything} ${more.join(' ')}`;
      expect(everything).toMatch(/^mcp-fittings:\{[\w-]{43}\}:(value|lease|fence)$/m);
      expect(text).not.toContain('example');
      expect(text).not.toContain('oauth');
      expect(text).not.toContain(CANARY);
    });
  });

  it('key rotation: old values stay readable with the old key; without it, STORE_LOCKED, and nothing is lost', async () => {
    await open({ key: () => keyOf('2025', 1) }).set('a', { refreshToken: CANARY });
    const rotated: KeySource = (id = '2026') => (id === '2025' ? keyOf('2025', 1) : keyOf('2026', 7));
    const before = await read(await nameOf());
    const onlyNew: KeySource = (id = '2026') => (id === '2026' ? keyOf('2026', 7) : undefined);
    await expect(open({ key: onlyNew }).get('a')).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      kind: 'auth',
    });
    expect(await read(await nameOf())).toBe(before);
    const store = open({ key: rotated });
    const value = await store.get('a');
    expect(value).toEqual({ refreshToken: CANARY });
    await store.set('a', { refreshToken: CANARY });
    expect(await read(await nameOf())).toContain('"keyId":"2026"');
  });

  it('the value of another entry: STORE_CORRUPT', async () => {
    const store = open();
    await store.set('a', { a: 1 });
    const first = await nameOf();
    await store.set('b', { b: 1 });
    const second = (await names('value')).find((name) => name !== first) ?? '';
    await redis.cli('SET', second, await read(first));
    await expect(open().get('b')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await open().get('a')).toEqual({ a: 1 });
  });

  it('a restored older value: STORE_CORRUPT for a process that saw the newer one, until the next write', async () => {
    const [store, other] = [open(), open()];
    await store.set('a', { refreshToken: 'r1' });
    const old = await read(await nameOf());
    await store.set('a', { refreshToken: 'r2' });
    await redis.cli('SET', await nameOf(), old);
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { reason: 'rolled-back' },
    });
    // A process that has not seen the newer one cannot know.
    expect(await other.get('a')).toEqual({ refreshToken: 'r1' });
    await other.set('a', { refreshToken: 'r3' });
    expect(await store.get('a')).toEqual({ refreshToken: 'r3' });
  });

  it('a made-up version: STORE_CORRUPT, and it does not block the next write', async () => {
    const store = open();
    await store.set('a', { refreshToken: 'r1' });
    const name = await nameOf();
    const [, envelope] = /^\d+ (.*)$/.exec(await read(name)) ?? [];
    for (const version of ['0', '1', String(Date.now() + 3_600_000), '999999999999999', '9'.repeat(40)]) {
      await redis.cli('SET', name, `${version} ${envelope}`);
      await expect(open().get('a'), version).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      await open().set('a', { version });
      expect(await open().get('a')).toEqual({ version });
    }
  });

  it('a deleted value is absent for every process, even when it is restored', async () => {
    const [store, other] = [open(), open()];
    await store.set('a', { refreshToken: 'r1' });
    expect(await other.get('a')).toEqual({ refreshToken: 'r1' });
    const old = await read(await nameOf());
    await store.delete('a');
    expect(await other.get('a')).toBeUndefined();
    await redis.cli('SET', await nameOf(), old);
    for (const each of [store, other]) {
      await expect(each.get('a')).rejects.toMatchObject({ details: { reason: 'rolled-back' } });
    }
  });

  it('an emptied Redis: STORE_CORRUPT for a process that saw a value, never "absent", until the next write', async () => {
    const [store, other] = [open(), open()];
    await store.set('a', { refreshToken: 'r1' });
    await redis.cli('FLUSHALL');
    await expect(store.get('a')).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { reason: 'lost' },
    });
    expect(await other.get('a')).toBeUndefined();
    await other.set('a', { refreshToken: 'r2' });
    expect(await store.get('a')).toEqual({ refreshToken: 'r2' });
  });

  it('a deleted value stays absent in an emptied Redis', async () => {
    const store = open();
    await store.set('a', { refreshToken: 'r1' });
    await store.delete('a');
    await redis.cli('FLUSHALL');
    expect(await store.get('a')).toBeUndefined();
  });

  it('an expired value is absent, and does not count as lost', async () => {
    let now = Date.now();
    const store = open({ keepMs: 60_000, clock: { ...systemClock, now: () => now } });
    await store.set('a', { refreshToken: 'r1' });
    expect(await store.get('a')).toEqual({ refreshToken: 'r1' });
    now += 60_001;
    await redis.cli('PEXPIRE', await nameOf(), '1');
    await expect.poll(() => names('value'), patiently).toEqual([]);
    expect(await store.get('a')).toBeUndefined();
  });

  it('keeps a value for as long as it is useful', async () => {
    const lives = async (value: Record<string, unknown>): Promise<number> => {
      await redis.cli('FLUSHALL');
      await open().set('a', value);
      return Math.ceil(Number(await redis.cli('PTTL', await nameOf())) / 60_000);
    };
    const expiresAt = Date.now() + 600_000;
    const day = 24 * 60;
    expect(await lives({ accessToken: 'a', expiresAt })).toBe(day + 10);
    expect(await lives({ accessToken: 'a', expiresAt: 0 })).toBe(day);
    expect(await lives({ accessToken: 'a', expiresAt: 1e308 })).toBe(180 * day);
    expect(await lives({ accessToken: 'a', expiresAt, refreshToken: 'r' })).toBe(180 * day);
    // A registration or a key: next year's refresh depends on it.
    expect(await lives({ registrations: [] })).toBeLessThanOrEqual(0);
    await open().delete('a');
    expect(await lives({ accessToken: 'a', expiresAt })).toBe(day + 10);
    await open().delete('a');
    expect(Math.ceil(Number(await redis.cli('PTTL', await nameOf())) / 60_000)).toBe(day + 10);
  });

  it.each([
    ['nothing but a version', '17 '],
    ['no version', '{"v":1}'],
    ['hostile JSON', `17 {"__proto__":{"polluted":true},"v":1,"keyId":{},"iv":[],"sealed":1e999}`],
    ['deep JSON', `17 ${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    [
      'an unknown algorithm',
      '17 {"v":2,"keyId":"2026","iv":"AAAAAAAAAAAAAAAA","sealed":"AAAAAAAAAAAAAAAAAAAAAAAAA"}',
    ],
    ['escape sequences', '\u001b]0;owned\u0007\u001b[2J'],
    ['nothing', ''],
  ])('%s: STORE_CORRUPT, nothing hostile in it, and it stays until it is replaced', async (_, text) => {
    await open().set('a', { refreshToken: CANARY });
    const name = await nameOf();
    await client.eval("redis.call('SET', KEYS[1], ARGV[1])", { keys: [name], arguments: [text] });
    const error: unknown = await open()
      .get('a')
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'STORE_CORRUPT', kind: 'auth' });
    expect(inspect(error, { depth: 9 })).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Number(await redis.cli('STRLEN', name))).toBe(text.length);
    await open().set('a', { refreshToken: 'r2' });
    expect(await open().get('a')).toEqual({ refreshToken: 'r2' });
  });

  it('100 MB in place of a value: STORE_CORRUPT, without fetching them', async () => {
    await open().set('a', { a: 1 });
    const name = await nameOf();
    await redis.cli('SETRANGE', name, String(100 * 1024 * 1024), 'x');
    const sent = async (): Promise<number> =>
      Number(/total_net_output_bytes:(\d+)/.exec(await redis.cli('INFO', 'stats'))?.[1]);
    const before = await sent();
    await expect(open().get('a')).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { reason: 'long' },
    });
    expect((await sent()) - before).toBeLessThan(100_000);
    await open().set('a', { a: 2 });
    expect(await open().get('a')).toEqual({ a: 2 });
  });

  it('a list in place of a value: STORE_CORRUPT, through ioredis too, until the next write', async () => {
    await open().set('a', { a: 1 });
    const name = await nameOf();
    await redis.cli('DEL', name);
    await redis.cli('RPUSH', name, 'x');
    const through = await openClient({ client: 'ioredis', port: redis.port });
    for (const each of [client, through]) {
      await expect(open({ client: each }).get('a')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
    await through[Symbol.asyncDispose]();
    await open().set('a', { a: 2 });
    expect(await open().get('a')).toEqual({ a: 2 });
  });

  it('a lease without an expiry ends like any other', async () => {
    const store = open({ lock: { staleMs: 200, waitMs: 20_000 } });
    await store.withLock('a', async () => undefined);
    const lease = (await nameOf('fence')).replace('fence', 'lease');
    await redis.cli('SET', lease, 'for ever');
    expect(await store.withLock('a', async () => 'taken')).toBe('taken');
  });

  it.each([
    [
      'an error with escape sequences',
      () => Promise.reject(new Error('\u001b[2J ERR \u202e'.repeat(10_000))),
    ],
    ['a rejection with a string', () => Promise.reject('\u001b[31mno'.repeat(100))],
    [
      'a client that throws',
      () => {
        throw new TypeError('closed');
      },
    ],
    ['an object as the reply', () => Promise.resolve({ then: 1 })],
  ])('%s: a typed error without its text as it was', async (_, answer) => {
    const store = redisStore({ client: fromIoredis({ eval: answer }), key, timeoutMs: 100 });
    const errors: readonly unknown[] = await Promise.all(
      [store.set('a', { refreshToken: CANARY }), store.get('a'), store.withLock('a', async () => 1)].map(
        (each) => each.catch((caught: unknown) => caught),
      ),
    );
    for (const error of errors) expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', kind: 'auth' });
    const text = inspect(errors, { depth: 9 });
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
    expect(text).not.toContain(CANARY);
    expect(text.length).toBeLessThan(5000);
  });

  it('rejects a namespace that could overlap with another one', () => {
    for (const namespace of ['', 'a{b}', 'a*', 'a b', 'ä', 'x'.repeat(129)]) {
      expect(() => open({ namespace }), namespace).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
    }
  });
});

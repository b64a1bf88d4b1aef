import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { createHost, type Host } from '@mcp-fittings/host';
import { redisCache, type RedisCacheOptions, type RedisClient } from '@mcp-fittings/store-redis';
import { http } from '@mcp-fittings/transport-http';
import { expect, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import { startRedis, type RedisServer } from './support/redis-server.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('the cache that replicas share', () => {
  let redis: RedisServer;
  let client: RedisClient;
  const open = (options: Partial<RedisCacheOptions> = {}) => redisCache({ client, key, ...options });
  const nameOf = (): Promise<string> => redis.cli('--raw', 'KEYS', '*');

  useRedis('ioredis', (server, opened) => {
    redis = server;
    client = opened;
  });

  it('keeps any JSON for a limited time, and skips values that are too large', async () => {
    const cache = open({ maxBytes: 1000, keepMs: 60_000 });
    expect(await cache.get('a')).toBeUndefined();
    await cache.set('a', { b: ['\u00fc', '\ud800', null] });
    expect(Number(await redis.cli('PTTL', await nameOf()))).toBeGreaterThan(50_000);
    await cache.set('text', 'inside');
    await cache.set('huge', 'x'.repeat(2000));
    expect([await cache.get('a'), await cache.get('text'), await cache.get('huge')]).toEqual([
      { b: ['\u00fc', '\ud800', null] },
      'inside',
      undefined,
    ]);
    await cache.delete('a');
    expect(await cache.get('a')).toBeUndefined();
  });

  it('keeps 8 MiB', async () => {
    const value = { tools: 'x'.repeat(8 * 1024 * 1024 - 100) };
    const cache = open({ timeoutMs: 10_000 });
    await cache.set('large', value);
    expect(JSON.stringify(await cache.get('large')) === JSON.stringify(value)).toBe(true);
  });

  it.each([
    ['no JSON', 'SET', '{"cut":'],
    ['hostile JSON', 'SET', '{"v":1,"keyId":"test","iv":"AAAA","sealed":"AAAA","__proto__":{"polluted":1}}'],
    ['what is not sealed', 'SET', '{"tools":[{"name":"evil"}]}'],
    ['another type', 'RPUSH', 'x'],
  ])('%s counts as absent', async (_, command, text) => {
    await open().set('a', { tools: [] });
    const name = await nameOf();
    await redis.cli('DEL', name);
    await redis.cli(command, name, text);
    expect(await open().get('a')).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    await open().set('a', { tools: [1] });
    expect(await open().get('a')).toEqual({ tools: [1] });
  });

  it('treats the value of another key, a credential, and a value of another encryption key as absent', async () => {
    await open().set('a', { of: 'a' });
    const first = await nameOf();
    await open().set('b', { of: 'b' });
    const second = (await nameOf()).split('\n').find((name) => name !== first) ?? '';
    await redis.cli('SET', second, await redis.cli('--raw', 'GET', first));
    expect([await open().get('a'), await open().get('b')]).toEqual([{ of: 'a' }, undefined]);
    const others = [
      open({ key: () => ({ id: 'test', bytes: new Uint8Array(32) }) }),
      open({ key: () => undefined }),
      open({ namespace: 'other' }),
    ];
    for (const other of others) expect(await other.get('a')).toBeUndefined();
  });

  it('rejects with STORE_UNAVAILABLE after half a second while Redis is down', async () => {
    await using other = await startRedis();
    const gone = await openClient({ client: 'redis', port: other.port });
    other.suspend();
    const cache = redisCache({ client: gone, key, timeoutMs: 100 });
    await expect(cache.get('a')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(cache.set('a', 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await gone[Symbol.asyncDispose]();
  });

  it('lets the second replica skip probing and listing a server', async () => {
    const handler = createMcpHandler(() => {
      const made = new McpServer({ name: 'stateless', version: '1' }, { capabilities: { tools: {} } });
      made.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
      return made;
    });
    const serve = toNodeHandler(handler);
    const methods: string[] = [];
    const server: Server = createServer((request, response) => {
      methods.push(String(request.headers['mcp-method']));
      void serve(request as never, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const replica = (lazy: boolean): Host =>
      createHost({
        name: 'replica',
        version: '1',
        transports: [http()],
        cache: open(),
        lazy,
      });

    const first = replica(false);
    await first.connect({ modern: { url } });
    await first.close();
    expect(methods).toContain('server/discover');
    expect(methods).toContain('tools/list');

    methods.length = 0;
    const second = replica(true);
    await second.connect({ modern: { url } });
    expect(second.tools().map(({ name }) => name)).toEqual(['greet']);
    expect(methods).toEqual([]);
    await second.callTool({ server: 'modern', tool: 'greet' });
    expect(methods).not.toContain('server/discover');
    await second.close();
    await handler.close();
    server.closeAllConnections();
    server.close();
  });
});

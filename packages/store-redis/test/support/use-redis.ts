import type { RedisClient } from '@mcp-fittings/store-redis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openClient } from './open-store.mjs';
import { startRedis, type RedisServer } from './redis-server.js';

type OpenClient = RedisClient & AsyncDisposable;

/** One Redis for the surrounding suite, emptied before each test, and a client of it. */
export function useRedis(
  kind: 'ioredis' | 'redis',
  opened: (redis: RedisServer, client: OpenClient) => void,
): void {
  let redis: RedisServer;
  let client: OpenClient;
  beforeAll(async () => {
    redis = await startRedis();
    client = await openClient({ client: kind, port: redis.port });
    opened(redis, client);
  });
  beforeEach(() => redis.cli('FLUSHALL'));
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await redis[Symbol.asyncDispose]();
  });
}

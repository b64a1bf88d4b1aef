import { redisCache, redisStore, type RedisClient } from '@mcp-fittings/store-redis';
import { it } from 'vitest';
import { expectNoCrossing } from '../../../test/compat/test/support/many-people.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('two dozen people on one host, with their tokens and lists in one Redis', () => {
  let client: RedisClient;
  useRedis('ioredis', (_server, opened) => {
    client = opened;
  });

  // test/compat has them over every wire.
  it('no token crosses', async () => {
    await expectNoCrossing('http', {
      store: redisStore({ client, key }),
      cache: redisCache({ client, key }),
    });
  }, 180_000);
});

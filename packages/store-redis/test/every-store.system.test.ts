import { redisStore } from '@mcp-fittings/store-redis';
import { storeCases } from '../../auth-oauth/test/support/store-cases.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openClient } from './support/open-store.mjs';
import { startRedis } from './support/redis-server.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });

describeWithRedis('sign-ins on a real Redis', () => {
  storeCases('Redis', async () => {
    const redis = await startRedis();
    const client = await openClient({ client: 'redis', port: redis.port });
    return {
      open: () => redisStore({ client, key }),
      async [Symbol.asyncDispose]() {
        await client[Symbol.asyncDispose]();
        await redis[Symbol.asyncDispose]();
      },
    };
  });
});

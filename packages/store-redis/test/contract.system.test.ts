import { tokenStoreSuite } from '@mcp-fittings/testkit/token-store';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeWithRedis } from './support/describe-with-redis.js';
import { openStore } from './support/open-store.mjs';
import { startRedis, type RedisServer } from './support/redis-server.js';

const module = new URL('./support/open-store.mjs', import.meta.url);

describeWithRedis('the token store contract on a real Redis', () => {
  let redis: RedisServer;
  let namespaces = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  for (const client of ['redis', 'ioredis'] as const) {
    tokenStoreSuite(
      { describe, it },
      {
        name: `Redis through ${client}`,
        // Other suites run beside this one, and four processes start.
        deadlineMs: 60_000,
        capabilities: { shared: true, processes: true, losesLocks: true, maxValueBytes: 64 * 1024 },
        async setup() {
          const namespace = `contract-${++namespaces}`;
          const argument = JSON.stringify({ client, port: redis.port, namespace });
          const [store, sibling] = [await openStore(argument), await openStore(argument)];
          return {
            store,
            sibling,
            module: { module, argument },
            async teardown() {
              await Promise.all([store[Symbol.asyncDispose](), sibling[Symbol.asyncDispose]()]);
            },
          };
        },
      },
    );
  }
});

import { redisCache, redisStore, type RedisClient } from '@mcp-fittings/store-redis';
import { sdk } from '@mcp-fittings/host/sdk';
import { sdk as sdkV2 } from '@mcp-fittings/host/sdk-v2';
import { it } from 'vitest';
import { expectNoCrossing } from '../../../test/compat/test/support/many-people.js';
import { describeWithRedis } from './support/describe-with-redis.js';
import { useRedis } from './support/use-redis.js';

const key = () => ({ id: 'test', bytes: new Uint8Array(32).fill(7) });
const identity = { name: 'tests', version: '1.0.0' };

describeWithRedis('fifty people on one host, with their tokens and lists in one Redis', () => {
  let client: RedisClient;
  useRedis('ioredis', (_server, opened) => {
    client = opened;
  });

  it.each([
    ['http', 'sdk', sdk],
    ['sse', 'sdk', sdk],
    ['ws', 'sdk', sdk],
    ['http', 'sdk-v2', sdkV2],
  ] as const)(
    'no token crosses over %s, on %s',
    async (wire, _name, engine) => {
      await expectNoCrossing(wire, {
        engine: engine(identity),
        store: redisStore({ client, key }),
        cache: redisCache({ client, key }),
      });
    },
    180_000,
  );
});

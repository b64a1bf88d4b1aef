import type { RedisClient } from '@mcp-fittings/store-redis';

/** Records what is sent to Redis. */
export interface CountingClient extends RedisClient {
  readonly scripts: readonly string[];
}

export function countingClient(client: RedisClient): CountingClient {
  const scripts: string[] = [];
  return {
    scripts,
    eval(script, options) {
      scripts.push(script);
      return client.eval(script, options);
    },
  };
}

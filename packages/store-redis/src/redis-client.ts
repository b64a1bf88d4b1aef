/**
 * The part of a Redis client that the stores use. Clients, clusters and sentinels of `redis` (node-redis) match it as they
 * are; for `ioredis` use {@link fromIoredis}. Every operation is a script, so that it is atomic and always reaches the
 * primary. The scripts use GET, GETRANGE, STRLEN, SET, DEL, PTTL and PEXPIRE, on keys of one slot that begin with the namespace;
 * those of `redisSharedState` also TIME and commands of lists and sorted sets.
 * @see https://redis.io/docs/latest/commands/eval/
 */
export interface RedisClient {
  /** Runs a Lua script with EVAL. Resolves with its reply: a string, bytes, a number, or null. */
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

/** The part of an `ioredis` client or cluster that {@link fromIoredis} uses. */
export interface IoredisClient {
  /** Runs a Lua script with EVAL, with the keys first and the arguments after them. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
}

/**
 * Adapts a client or cluster of `ioredis` for `redisStore` and `redisCache`.
 * @example
 * const store = redisStore({ client: fromIoredis(new Redis('redis://127.0.0.1:6379')), key });
 */
export function fromIoredis(client: IoredisClient): RedisClient {
  return {
    eval: (script, { keys, arguments: values }) => client.eval(script, keys.length, ...keys, ...values),
  };
}

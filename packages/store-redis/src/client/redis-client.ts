/**
 * What is used of a Redis client. A client, cluster or sentinel of `redis` (node-redis) has it as it is; for `ioredis` see
 * {@link fromIoredis}. Everything goes through scripts, so that each step is atomic and always reaches the primary. They
 * use GET, GETRANGE, STRLEN, SET, DEL, PTTL and PEXPIRE, all on keys of one slot that begin with the namespace.
 * @see https://redis.io/docs/latest/commands/eval/
 */
export interface RedisClient {
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

/** What {@link fromIoredis} uses of a client of `ioredis`. */
export interface IoredisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>;
}

/** A client or cluster of `ioredis` in the form that the stores take. */
export function fromIoredis(client: IoredisClient): RedisClient {
  return {
    eval: (script, { keys, arguments: values }) => client.eval(script, keys.length, ...keys, ...values),
  };
}

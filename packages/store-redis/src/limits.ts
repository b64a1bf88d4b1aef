import type { Admission, SharedLimit } from '@mcp-fittings/client-core';
import { unexpectedReply } from './redis-errors.js';
import type { RedisKeys } from './redis-keys.js';
import type { ScriptRunner } from './script-runner.js';

export interface LimitsDeps {
  readonly runner: ScriptRunner;
  readonly redisKeys: (kind: string, key: string) => RedisKeys;
  readonly namespace: string;
}

/** Counts a request against all limits in one step, by the clock of Redis. */
export async function admitOnRedis(
  { runner, redisKeys, namespace }: LimitsDeps,
  limits: readonly SharedLimit[],
): Promise<Admission> {
  if (limits.length === 0) return { admitted: true };
  // One slot for all of them: a script of a cluster cannot reach two.
  const slot = redisKeys('limits', '').entry;
  const keys = limits.map(({ key }) => `${namespace}:{${slot}}:${redisKeys('limit', key).entry}`);
  const numbers = limits.flatMap(({ requests, intervalMs }) => [requests, intervalMs]);
  const lateMs = await runner.run(ADMIT, keys, numbers);
  if (typeof lateMs !== 'number') throw unexpectedReply();
  return lateMs === 0 ? { admitted: true } : { admitted: false, retryAfterMs: lateMs };
}

/**
 * The generic cell rate algorithm. A key holds the time at which its limit is whole again, in milliseconds of the Redis clock; a request
 * moves it by `interval / requests`, up to one interval ahead. KEYS: one for each limit. ARGV: requests and interval of each. Returns 0,
 * or the milliseconds until all limits allow a request.
 */
const ADMIT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local late = 0
local next = {}
for i, key in ipairs(KEYS) do
  local interval = tonumber(ARGV[2 * i])
  local at = tonumber(redis.call('GET', key) or '0') or 0
  if at < now or at > now + 2 * interval then at = now end
  next[i] = at + interval / tonumber(ARGV[2 * i - 1])
  late = math.max(late, next[i] - now - interval)
end
if late > 0.001 then return math.max(1, math.ceil(late)) end
for i, key in ipairs(KEYS) do
  redis.call('SET', key, string.format('%.3f', next[i]), 'PX', math.max(1, math.ceil(next[i] - now)))
end
return 0`;

import { randomUUID } from 'node:crypto';
import type { Clock, SharedState } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { resolveKey, seal, unseal, type KeySource } from '@mcp-fittings/toolbox/stores';
import { READ } from './entries.js';
import { unexpectedReply, unlessUnreadable } from './redis-errors.js';
import type { RedisClient } from './redis-client.js';
import { createRedisKeys, type RedisKeys } from './redis-keys.js';
import { joinReplicas } from './replicas.js';
import { ScriptRunner } from './script-runner.js';

/** Options of {@link redisSharedState}. */
export interface RedisSharedStateOptions {
  /** A connected client of `redis`, or of `ioredis` through `fromIoredis`. The state does not close it. */
  readonly client: RedisClient;
  /**
   * Provides the key to encrypt with, and older keys by their id. Records and messages are encrypted: a program that can write to Redis
   * must not be able to make up a session, or the answer of a person.
   */
  readonly key: KeySource;
  /** Prefix of all keys in Redis; gateways with different namespaces share nothing. Default `mcp-fittings`. */
  readonly namespace?: string | undefined;
  /** Longest wait for one operation on Redis, including retries, in milliseconds. Default 2000. */
  readonly timeoutMs?: number | undefined;
  /** The same for the count of a rate limit, which every request waits for. Default 250. */
  readonly limitTimeoutMs?: number | undefined;
  /** Time between two looks for messages of other replicas, in milliseconds; a tenth of it while one is expected. Default 250. */
  readonly pollMs?: number | undefined;
  /** Source of time, for tests. Rate limits and lifetimes use the time of Redis. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

const TIMEOUT_MS = 2000;
const LIMIT_TIMEOUT_MS = 250;
const POLL_MS = 250;
/** More than a session or a relayed result takes, encrypted. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/**
 * Creates the `SharedState` of a fleet of gateways: sessions, rate limits and messages between replicas, on Redis.
 *
 * Throws `CONFIG_INVALID` for an invalid namespace. Its methods reject with `STORE_UNAVAILABLE` when Redis does not reply or refuses.
 * @example
 * const gateway = createGateway(host, { access, state: redisSharedState({ client, key, namespace: 'gateway' }) });
 */
export function redisSharedState(options: RedisSharedStateOptions): SharedState {
  const { client, key: keys, namespace = 'mcp-fittings', clock = systemClock } = options;
  const { timeoutMs = TIMEOUT_MS, limitTimeoutMs = LIMIT_TIMEOUT_MS, pollMs = POLL_MS } = options;
  const redisKeys = createRedisKeys(namespace);
  const runner = new ScriptRunner({ client, timeoutMs, clock });
  const limitRunner = new ScriptRunner({ client, timeoutMs: limitTimeoutMs, clock });
  const keysOf = (key: string): RedisKeys => redisKeys('shared', key);

  return {
    async get(key) {
      const { entry, value } = keysOf(key);
      return unlessUnreadable(async () => {
        const text = await runner.run(READ, [value], [MAX_RECORD_BYTES]);
        const [, version, sealed] = typeof text === 'string' ? (STORED.exec(text) ?? []) : [];
        if (version === undefined || sealed === undefined) return undefined;
        const found: unknown = JSON.parse(await unseal(bindingOf(entry, version), sealed, keys));
        return { value: found, version };
      });
    },
    async set(key, value, { lifetimeMs, version: expected }) {
      const { entry, value: name } = keysOf(key);
      const version = randomUUID();
      const text = JSON.stringify(value ?? null);
      const sealed = seal(bindingOf(entry, version), text, await resolveKey(keys));
      const values = [version, sealed, Math.ceil(lifetimeMs), expected ?? '*'];
      return (await runner.run(WRITE, [name], values)) === 'ok';
    },
    async touch(key, lifetimeMs) {
      return (await runner.run(TOUCH, [keysOf(key).value], [Math.ceil(lifetimeMs)])) === 1;
    },
    async delete(key) {
      await runner.run(DELETE, [keysOf(key).value], []);
    },
    async admit(limits) {
      if (limits.length === 0) return { admitted: true };
      // One slot for all of them: a script of a cluster cannot reach two.
      const slot = redisKeys('limits', '').entry;
      const names = limits.map(({ key }) => `${namespace}:{${slot}}:${redisKeys('limit', key).entry}`);
      const numbers = limits.flatMap(({ requests, intervalMs }) => [requests, intervalMs]);
      const lateMs = await limitRunner.run(ADMIT, names, numbers);
      if (typeof lateMs !== 'number') throw unexpectedReply();
      return lateMs === 0 ? { admitted: true } : { admitted: false, retryAfterMs: lateMs };
    },
    join: (receive) => joinReplicas({ runner, redisKeys, keys, pollMs, clock }, receive),
  };
}

const STORED = /^([\da-f-]{36}) (\{[ -~]*\})$/;

function bindingOf(entry: string, version: string): string {
  return `redis shared ${entry} ${version}`;
}

/**
 * KEYS: value. ARGV: version, encrypted text, lifetime in ms, expected version. A record is `<version> <encrypted text>`. Repeated
 * because its reply was lost, it finds its own version and succeeds again.
 */
const WRITE = `
local version = redis.call('GETRANGE', KEYS[1], 0, 35)
if ARGV[4] ~= '*' and version ~= ARGV[4] and version ~= ARGV[1] then return 'changed' end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 'ok'`;

/** KEYS: value. ARGV: lifetime in ms. */
const TOUCH = `return redis.call('PEXPIRE', KEYS[1], ARGV[1])`;

/** KEYS: value. */
const DELETE = `
redis.call('DEL', KEYS[1])
return 'ok'`;

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

import { randomUUID } from 'node:crypto';
import type { Clock, ReplicaMembership, ReplicaReceiver } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { resolveKey, seal, unseal, type KeySource } from '@mcp-fittings/toolbox/stores';
import { unlessUnreadable } from './redis-errors.js';
import type { RedisKeys } from './redis-keys.js';
import type { ScriptRunner } from './script-runner.js';

export interface ReplicasDeps {
  readonly runner: ScriptRunner;
  readonly redisKeys: (kind: string, key: string) => RedisKeys;
  readonly keys: KeySource;
  readonly pollMs: number;
  readonly clock: Clock;
}

/** Time that a replica which shows no sign of life counts as one. */
const LIFETIME_MS = 10_000;
/** While a message is expected, the replica looks this many times as often. */
const EXPECTING_FACTOR = 10;
const MAX_BATCH = 100;
const MAX_RECENT = 1000;

/**
 * Adds this process to the replicas. Each has an inbox, a list that it looks at regularly; that is its sign of life too. Messages stay in
 * the inbox until the next look confirms them, so that neither a lost reply nor a restart of Redis loses one.
 */
export function joinReplicas(
  { runner, redisKeys, keys, pollMs, clock }: ReplicasDeps,
  receive: ReplicaReceiver,
): ReplicaMembership {
  const id = randomUUID();
  // One slot for all replicas: a script looks at the list of them and at an inbox.
  const { value: members, entry } = redisKeys('replicas', '');
  const inboxOf = (replica: string): string => `${members}:${replica}`;
  let expected = 0;
  let hasLeft = false;
  let timer: Disposable | undefined;
  let looking: Promise<void> | undefined;
  let onFirstLook = (): void => undefined;
  /** Number of messages at the head of the inbox that were received, and the first of them. */
  let received: { readonly count: number; readonly first: string } = { count: 0, first: '' };

  const recent = new RecentMap<string, true>(MAX_RECENT);

  const open = async (text: string): Promise<void> => {
    const message = await unlessUnreadable(async () => {
      const opened: unknown = JSON.parse(
        await unseal(bindingOf(entry, id), text.slice(text.indexOf(' ') + 1), keys),
      );
      return opened;
    });
    if (!isRecord(message) || typeof message['from'] !== 'string') return;
    const messageId = String(message['id']);
    // A message is in the inbox twice when the reply to sending it was lost.
    if (recent.has(messageId)) return;
    recent.set(messageId, true);
    receive(message['body'], message['from']);
  };
  const look = async (): Promise<void> => {
    const values = [id, LIFETIME_MS, received.count, received.first, MAX_BATCH];
    const reply = await runner.run(LOOK, [members, inboxOf(id)], values);
    const texts: unknown = typeof reply === 'string' ? JSON.parse(reply) : [];
    const batch = (Array.isArray(texts) ? texts : []).filter(
      (text): text is string => typeof text === 'string',
    );
    received = { count: batch.length, first: batch[0] ?? '' };
    onFirstLook();
    for (const text of batch) await open(text);
  };
  const plan = (): void => {
    timer?.[Symbol.dispose]();
    if (hasLeft || looking !== undefined) return;
    const ms = expected > 0 ? pollMs / EXPECTING_FACTOR : pollMs;
    timer = clock.schedule(() => void lookAgain(), ms, { unref: true });
  };
  const lookAgain = async (): Promise<void> => {
    // While Redis is away, the next look comes as planned; what was in the inbox is still there then.
    looking = look().catch(() => undefined);
    await looking;
    looking = undefined;
    plan();
  };

  const joined = new Promise<void>((resolve) => {
    onFirstLook = resolve;
  });
  void lookAgain();

  return {
    id,
    joined,
    async send(to, message) {
      const text = JSON.stringify({ id: randomUUID(), from: id, body: message ?? null });
      const sealed = seal(bindingOf(entry, to), text, await resolveKey(keys));
      return (await runner.run(SEND, [members, inboxOf(to)], [to, sealed, LIFETIME_MS])) === 'sent';
    },
    async replicas() {
      const reply = await runner.run(LIST, [members], []);
      return typeof reply === 'string' ? reply.split(' ') : [];
    },
    expect() {
      let isExpecting = true;
      if (expected++ === 0) plan();
      return {
        [Symbol.dispose]() {
          if (isExpecting) expected--;
          isExpecting = false;
        },
      };
    },
    async leave() {
      hasLeft = true;
      timer?.[Symbol.dispose]();
      await looking;
      await runner.tryOnce(LEAVE, [members, inboxOf(id)], [id]);
    },
  };
}

function bindingOf(entry: string, replica: string): string {
  return `redis replica ${entry} ${replica}`;
}

const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)`;

/**
 * Confirms what the last look returned, shows a sign of life, and returns the messages as JSON. KEYS: replicas, inbox. ARGV: id, lifetime
 * in ms, number of confirmed messages, the first of them, maximum number. Only this replica removes messages, so that the first one tells
 * whether an earlier run of the same look has removed them already.
 */
const LOOK = `${NOW}
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[3] ~= '0' and redis.call('LINDEX', KEYS[2], 0) == ARGV[4] then
  redis.call('LTRIM', KEYS[2], ARGV[3], -1)
end
local messages = redis.call('LRANGE', KEYS[2], 0, tonumber(ARGV[5]) - 1)
if #messages == 0 then return false end
redis.call('PEXPIRE', KEYS[2], 6 * tonumber(ARGV[2]))
return cjson.encode(messages)`;

/**
 * KEYS: replicas, inbox. ARGV: id of the receiver, message, lifetime in ms. The time makes each element of an inbox unique, also when a
 * message is sent again because the reply was lost: a look that confirms twice removes nothing else.
 */
const SEND = `${NOW}
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '0') <= now then return 'gone' end
redis.call('RPUSH', KEYS[2], time[1] .. '.' .. time[2] .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[2], 6 * tonumber(ARGV[3]))
return 'sent'`;

/** KEYS: replicas. Ids contain no space. */
const LIST = `${NOW}
return table.concat(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf'), ' ')`;

/** KEYS: replicas, inbox. ARGV: id. */
const LEAVE = `
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return 'ok'`;

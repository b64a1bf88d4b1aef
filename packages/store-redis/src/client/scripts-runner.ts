import { FittingsError, type Clock } from '@mcp-fittings/client-core';
import { sleep, withTimeout } from '@mcp-fittings/client-core/timing';
import { isTemporary, redisFailure, redisSilent, strangeReply } from './redis-failure.js';
import type { RedisClient } from './redis-client.js';

/** Runs scripts, patiently while Redis is away for a moment. */
export interface ScriptsRunner {
  /** Rejects with STORE_UNAVAILABLE, or STORE_CORRUPT where a key holds something of another type. */
  run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply>;
  /** One attempt, for what ends by itself when it is not done; never rejects. */
  tryOnce(script: string, keys: readonly string[], values: readonly string[]): Promise<void>;
}

/** What the scripts answer; a client that gives bytes is understood too. */
export type Reply = string | number | undefined;

export interface RunnerOptions {
  readonly client: RedisClient;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const PAUSE_MS = 50;

/** Every script may be run twice: an answer that was lost on its way is no reason to fail. */
export function createScriptsRunner({ client, timeoutMs, clock }: RunnerOptions): ScriptsRunner {
  const once = (script: string, keys: readonly string[], values: readonly string[], leftMs: number) =>
    withTimeout({ ms: leftMs, error: () => redisSilent(timeoutMs), clock }, () =>
      ask(client, script, keys, values),
    );

  return {
    async run(script, keys, values) {
      const end = clock.now() + timeoutMs;
      const texts = values.map(String);
      for (;;) {
        const leftMs = Math.max(1, end - clock.now());
        try {
          return replyOf(await once(script, keys, texts, leftMs));
        } catch (error) {
          if (error instanceof FittingsError) throw error;
          if (!isTemporary(error) || clock.now() + PAUSE_MS >= end) throw redisFailure(error);
        }
        await sleep(PAUSE_MS, { clock });
      }
    },
    async tryOnce(script, keys, values) {
      await once(script, keys, values, Math.max(1, timeoutMs)).catch(() => undefined);
    },
  };
}

/** Also a client that throws at once becomes a rejection. */
async function ask(
  client: RedisClient,
  script: string,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  return client.eval(script, { keys: [...keys], arguments: [...values] });
}

function replyOf(reply: unknown): Reply {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  // Absent is what only a nothing says.
  if (reply === null || reply === undefined) return undefined;
  throw strangeReply();
}

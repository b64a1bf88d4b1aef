import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { sleep, withTimeout } from '@mcp-fittings/toolbox/timing';
import { isTemporary, redisError, redisTimeout, unexpectedReply } from './redis-errors.js';
import type { RedisClient } from './redis-client.js';

/** Runs scripts, and retries them while Redis is unavailable for a moment. */
export interface ScriptRunner {
  /** Rejects with `STORE_UNAVAILABLE`, or with `STORE_CORRUPT` when a key holds a value of another type. */
  run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply>;
  /** Tries once and never rejects, for cleanup that Redis does by itself later. */
  tryOnce(script: string, keys: readonly string[], values: readonly string[]): Promise<void>;
}

/** What a script returns. Clients that return bytes are supported too. */
export type Reply = string | number | undefined;

export interface ScriptRunnerOptions {
  readonly client: RedisClient;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const PAUSE_MS = 50;

/** Every script may run twice, so that a lost reply does not make the operation fail. */
export function createScriptRunner({ client, timeoutMs, clock }: ScriptRunnerOptions): ScriptRunner {
  const runOnce = (script: string, keys: readonly string[], values: readonly string[], leftMs: number) =>
    withTimeout({ ms: leftMs, error: () => redisTimeout(timeoutMs), clock }, () =>
      evaluate(client, script, keys, values),
    );

  return {
    async run(script, keys, values) {
      const end = clock.now() + timeoutMs;
      const texts = values.map(String);
      for (;;) {
        const leftMs = Math.max(1, end - clock.now());
        try {
          return parseReply(await runOnce(script, keys, texts, leftMs));
        } catch (error) {
          if (error instanceof FittingsError) throw error;
          if (!isTemporary(error) || clock.now() + PAUSE_MS >= end) throw redisError(error);
        }
        await sleep(PAUSE_MS, { clock });
      }
    },
    async tryOnce(script, keys, values) {
      await runOnce(script, keys, values, Math.max(1, timeoutMs)).catch(() => undefined);
    },
  };
}

/** Async, so that a client that throws becomes a rejection. */
async function evaluate(
  client: RedisClient,
  script: string,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  return client.eval(script, { keys: [...keys], arguments: [...values] });
}

function parseReply(reply: unknown): Reply {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  // Only nil means absent.
  if (reply === null || reply === undefined) return undefined;
  throw unexpectedReply();
}

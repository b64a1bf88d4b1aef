import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { sleep, withTimeout } from '@mcp-fittings/toolbox/timing';
import { isTemporary, redisError, redisTimeout, unexpectedReply } from './redis-errors.js';
import type { RedisClient } from './redis-client.js';

/** Value that a script returns. Clients that return bytes are supported too. */
export type Reply = string | number | undefined;

export interface ScriptRunnerOptions {
  readonly client: RedisClient;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const PAUSE_MS = 50;

/**
 * Runs scripts, and retries them while Redis is unavailable for a moment. Every script may run twice, so that a lost reply does
 * not make the operation fail.
 */
export class ScriptRunner {
  readonly #options: ScriptRunnerOptions;

  constructor(options: ScriptRunnerOptions) {
    this.#options = options;
  }

  /** Rejects with `STORE_UNAVAILABLE`, or with `STORE_CORRUPT` when a key holds a value of another type. */
  async run(script: string, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply> {
    const { timeoutMs, clock } = this.#options;
    const end = clock.now() + timeoutMs;
    const texts = values.map(String);
    for (;;) {
      const leftMs = Math.max(1, end - clock.now());
      try {
        return parseReply(await this.#runOnce(script, keys, texts, leftMs));
      } catch (error) {
        if (error instanceof FittingsError) throw error;
        if (!isTemporary(error) || clock.now() + PAUSE_MS >= end) throw redisError(error);
      }
      await sleep(PAUSE_MS, { clock });
    }
  }

  /** Tries once and never rejects, for cleanup that Redis does by itself later. */
  async tryOnce(script: string, keys: readonly string[], values: readonly string[]): Promise<void> {
    await this.#runOnce(script, keys, values, Math.max(1, this.#options.timeoutMs)).catch(() => undefined);
  }

  #runOnce(
    script: string,
    keys: readonly string[],
    values: readonly string[],
    leftMs: number,
  ): Promise<unknown> {
    const { client, timeoutMs, clock } = this.#options;
    return withTimeout({ ms: leftMs, error: () => redisTimeout(timeoutMs), clock }, () =>
      client.eval(script, { keys: [...keys], arguments: [...values] }),
    );
  }
}

function parseReply(reply: unknown): Reply {
  if (typeof reply === 'string' || typeof reply === 'number') return reply;
  if (reply instanceof Uint8Array) return Buffer.from(reply).toString();
  // Only nil means absent.
  if (reply === null || reply === undefined) return undefined;
  throw unexpectedReply();
}

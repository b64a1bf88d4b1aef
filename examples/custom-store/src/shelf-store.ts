import { createHash } from 'node:crypto';
import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';

/** Size of the largest value as JSON, in bytes. */
export const MAX_VALUE_BYTES = 65_536;

/** The part of the service's client that the store uses. The host creates and closes the client. */
export interface ShelfClient {
  /** Resolves with the text under `name`, or with `undefined` if nothing is stored there. */
  read(name: string): Promise<string | undefined>;
  /** Stores a text under `name`, and replaces the previous one. */
  write(name: string, text: string): Promise<void>;
  /** Removes the text under `name`; does nothing if nothing is stored there. */
  remove(name: string): Promise<void>;
}

/** Options of {@link createShelfStore}. */
export interface ShelfStoreOptions {
  /** The client of the service. */
  readonly client: ShelfClient;
  /** Maximum time to wait for the lock of a key, in milliseconds. Default 60 000. */
  readonly waitMs?: number | undefined;
}

/**
 * Creates a store that keeps credentials in a service. Its locks exclude callers of the same process. Rejects with
 * `STORE_VALUE_INVALID` for a value that cannot be stored, with `STORE_BUSY` if a lock is not available in time, and with
 * `STORE_UNAVAILABLE` if the service fails.
 */
export function createShelfStore(options: ShelfStoreOptions): TokenStore {
  const { client, waitMs = 60_000 } = options;
  /** The last holder of each lock, or the last one that waits for it. */
  const holders = new Map<string, Promise<void>>();

  return {
    async get(key) {
      const stored = await reached(client.read(nameOf(key)));
      return stored === undefined ? undefined : parseValue(stored);
    },
    async set(key, value) {
      const written = serializeValue(value);
      await reached(client.write(nameOf(key), written));
    },
    async delete(key) {
      await reached(client.remove(nameOf(key)));
    },
    async withLock(key, work) {
      const before = holders.get(key);
      let release = (): void => undefined;
      const mine = new Promise<void>((resolve) => (release = resolve));
      const turn = Promise.all([before, mine]).then(() => undefined);
      holders.set(key, turn);
      try {
        if (before !== undefined) await inTime(before, waitMs);
        return await work(new AbortController().signal);
      } finally {
        release();
        if (holders.get(key) === turn) holders.delete(key);
      }
    },
  };
}

/** Returns a name that every service accepts. JSON escapes a lone surrogate, which UTF-8 would lose. */
function nameOf(key: string): string {
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
}

async function inTime(before: Promise<void>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const busy = new FittingsError('STORE_BUSY', `The lock was not available within ${waitMs} ms.`);
    timer = setTimeout(() => reject(busy), waitMs);
  });
  try {
    await Promise.race([before, late]);
  } finally {
    clearTimeout(timer);
  }
}

function serializeValue(value: StoredValue): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new FittingsError('STORE_VALUE_INVALID', 'The value to store is not JSON.', { cause });
  }
  if (text === undefined || parseValue(text) === undefined)
    throw new FittingsError('STORE_VALUE_INVALID', 'The value to store is not a JSON object.');
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw new FittingsError(
      'STORE_VALUE_INVALID',
      `The value to store is longer than ${MAX_VALUE_BYTES} bytes.`,
    );
  return text;
}

/** Returns undefined for what is not an object: another program has written it, and nothing is stored. */
function parseValue(text: string): StoredValue | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a JSON object has members of any type
    return isObject ? (value as StoredValue) : undefined;
  } catch {
    return undefined;
  }
}

/** Errors of the service may contain the credentials that were sent, so the message does not repeat them. */
async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const text = 'Could not reach the service that stores the credentials.';
    throw new FittingsError('STORE_UNAVAILABLE', text, { cause });
  }
}

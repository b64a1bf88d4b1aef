import assert from 'node:assert/strict';
import { ERROR_CODES, type ErrorCode, FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { outcomeOf } from '../transport-suite/deadline.js';

/** Asserts that the promise rejects with an error as every store error has to be. */
export async function assertRejects(
  promise: Promise<unknown>,
  what: string,
  code?: ErrorCode,
): Promise<FittingsError> {
  const outcome = await outcomeOf(promise);
  assert.ok(!outcome.ok, `${what} rejects`);
  const { error } = outcome;
  assert.ok(error instanceof FittingsError, `${what}: a FittingsError, not ${String(error)}`);
  assert.ok(Object.hasOwn(ERROR_CODES, error.code), `${what}: '${error.code}' is in ERROR_CODES`);
  assert.equal(error.kind, 'auth', `${what}: kind`);
  if (code !== undefined) assert.equal(error.code, code, `${what}: code`);
  return error;
}

/** Reads, computes and writes, with a pause in which others run: without a lock, updates are lost. */
export async function increment(store: TokenStore, key: string): Promise<void> {
  await store.withLock(key, async () => {
    const count = (await store.get(key))?.['count'];
    await turn();
    await store.set(key, { count: typeof count === 'number' ? count + 1 : 1 });
  });
}

/**
 * Resolves with all values, or rejects with the first rejection after every promise has settled: a case that failed leaves nothing
 * behind that writes into the store of the next one.
 */
export async function allSettled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Lets everything else in this process run: a store in memory would otherwise never let timers run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

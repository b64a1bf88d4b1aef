import { join } from 'node:path';
import { keychainStore } from '@mcp-fittings/store-keychain';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { memoryKeytar } from './support/memory-keytar.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

let temporary: TemporaryDirectory;
beforeEach(async () => {
  temporary = await temporaryDirectory();
});
afterEach(() => temporary[Symbol.asyncDispose]());

it('does not wait for a driver that hangs, and does not call it again before it has returned', async () => {
  const clock = createManualClock();
  const driver = memoryKeytar();
  let answer = (): void => undefined;
  const hanging = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const setPassword = vi.spyOn(driver, 'setPassword').mockReturnValue(hanging);
  const lockDirectory = join(temporary.path, 'locks');
  const store = keychainStore({
    driver,
    clock,
    lockDirectory,
    timeoutMs: 1000,
    lock: { staleMs: 1_000_000 },
  });
  const first = store.status();
  await vi.waitUntil(() => clock.nextIn === 1000, { interval: 1, timeout: 20_000 });
  await clock.advance(999);
  expect(clock.nextIn).toBe(1);
  await clock.advance(1);
  expect(await first).toMatchObject({ state: 'timeout', error: { code: 'STORE_UNAVAILABLE' } });
  expect(await store.status()).toMatchObject({ state: 'timeout' });
  expect(setPassword).toHaveBeenCalledTimes(1);
  setPassword.mockRestore();
  answer();
  await expect.poll(async () => (await store.status()).state).toBe('available');
  expect(clock.pending).toBe(0);
});

it('rejects a driver that is an object for another process', () => {
  expect(() => keychainStore({ driver: memoryKeytar(), isolation: 'process' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', kind: 'auth' }),
  );
});

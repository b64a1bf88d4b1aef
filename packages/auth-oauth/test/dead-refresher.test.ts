import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { TokenRecord } from '../src/tokens/token-record.js';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { encryptedFileStore, fileStore, memoryStore } from '@mcp-fittings/store-file';
import { managerOn, NEW, OLD } from './support/token-managers.js';

const EXPIRED: TokenRecord = { ...OLD, refreshToken: 'used-up', expiresAt: 2, obtainedAt: 1 };
const FRESH: TokenRecord = { ...NEW, expiresAt: Date.now() + 3_600_000 };

/** A process that has sent the refresh token, and is killed before the answer arrives. */
async function dieWhileRefreshing(store: string): Promise<void> {
  const program = `
    import { nodePlatform } from '../dist/node-platform.js';
    import { TokenManager } from '../dist/tokens/token-manager.js';
    import { systemClock } from '@mcp-fittings/toolbox/timing';
    import { encryptedFileStore, fileStore } from '@mcp-fittings/store-file';
    const store = ${store};
    const tokens = new TokenManager({
      server: 'test', store, key: 'k', clock: systemClock, logger: undefined, marks: nodePlatform.marks,
      renewal: { possible: () => true, onRefusal: 'ask', run: () => {
        console.log('sent');
        return new Promise(() => setInterval(() => {}, 1000));
      } },
    });
    await tokens.usable();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  expect(line).toBe('sent');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a process that is killed during a refresh', () => {
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'dead-'));
  });
  afterEach(() => rm(path, { recursive: true }));

  const KEY = "{ id: 'k', bytes: Buffer.alloc(32, 7) }";
  const stores: Readonly<Record<string, () => readonly [TokenStore, string]>> = {
    files: () => [fileStore({ path, consent: () => true }), `fileStore({ path: ${JSON.stringify(path)} })`],
    'encrypted files': () => [
      encryptedFileStore({ path, key: () => ({ id: 'k', bytes: Buffer.alloc(32, 7) }) }),
      `encryptedFileStore({ path: ${JSON.stringify(path)}, key: () => (${KEY}) })`,
    ],
  };

  it.each(Object.entries(stores))(
    'is not waited for where the system says that it is gone: %s',
    async (_, open) => {
      const [store, source] = open();
      await managerOn(store).keep(EXPIRED);
      await dieWhileRefreshing(source);
      expect(await store.get('k')).toMatchObject({ renewing: expect.any(String) });
      const pauses: number[] = [];
      const clock: Clock = {
        now: () => systemClock.now(),
        schedule(task, ms, options) {
          if (options?.unref !== true) pauses.push(ms);
          return systemClock.schedule(task, ms, options);
        },
      };
      const tokens = managerOn(store, { clock, run: async () => FRESH });
      expect(await tokens.usable()).toMatchObject({ accessToken: 'new' });
      expect(pauses).toEqual([]);
    },
  );

  it('leaves an ended sign-in if the authorization server had received the refresh token', async () => {
    const [store, source] = stores['files']?.() ?? expect.unreachable();
    await managerOn(store).keep(EXPIRED);
    await dieWhileRefreshing(source);
    const details = { status: 400, oauthError: 'invalid_grant' };
    const tokens = managerOn(store, {
      clock: systemClock,
      run: () => Promise.reject(new FittingsError('AUTH_FAILED', 'used', { details })),
    });
    expect(await tokens.usable()).toBeUndefined();
    expect(tokens.renewable(tokens.held)).toBe(false);
    expect(await store.get('k')).not.toHaveProperty('refreshToken');
  });

  it('on another machine it is waited for 15 seconds, including the time until its lock is stale', async () => {
    const clock = createManualClock();
    const inner = memoryStore();
    const lease = 10_000;
    const store: TokenStore = {
      ...inner,
      async withLock(key, work) {
        // The lease of the dead holder expires once.
        const wait = Math.max(0, lease - clock.now());
        if (wait > 0) await new Promise<void>((resolve) => void clock.schedule(resolve, wait));
        return inner.withLock(key, work);
      },
    };
    await inner.set('k', { version: 1, ...EXPIRED, renewing: 'of-another-machine' });
    let sentAt: number | undefined;
    const tokens = managerOn(store, {
      clock: { ...clock, now: () => clock.now() + 1_000_000 },
      run: async () => {
        sentAt = clock.now();
        return FRESH;
      },
    });
    const renewed = tokens.usable();
    // Time passes only while the code waits for its next look at the mark, which takes real time to read.
    while (sentAt === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      const { nextIn } = clock;
      if (nextIn !== undefined && nextIn <= 500) await clock.advance(nextIn);
    }
    await renewed;
    expect(sentAt).toBeGreaterThanOrEqual(15_000);
    expect(sentAt).toBeLessThan(17_000);
  });
});

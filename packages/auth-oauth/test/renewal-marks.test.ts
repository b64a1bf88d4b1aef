import { type Clock, FittingsError, type TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createHttpClient } from '@mcp-fittings/http-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, type World } from './support/world.js';

/** Strict rotation: the authorization server ends the sign-in if a refresh token is used twice. */
describe('a lock that is lost while a refresh token is being sent', () => {
  let world: World;
  let passed: number;
  const clock = { ...systemClock, now: () => Date.now() + passed };
  beforeEach(async () => {
    passed = 0;
    world = await createWorld({ accessTokenTtl: 86_400 });
    await world.use(world.provider({ clock }));
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const refreshes = (): readonly number[] =>
    world.as.tokenRequests.filter(({ grant }) => grant === 'refresh_token').map(({ status }) => status);
  const expire = (): void => {
    passed += 86_400_000;
  };
  /** A store whose lock does not exclude other processes, as if it had been lost. */
  const withoutLock = (more: Partial<TokenStore> = {}): TokenStore => ({
    get: (key) => world.store.get(key),
    set: (key, value) => world.store.set(key, value),
    delete: (key) => world.store.delete(key),
    withLock: (_, work) => work(new AbortController().signal),
    ...more,
  });
  const bearer = async (provider: ReturnType<World['provider']>): Promise<string | undefined> =>
    (await provider.headers({ url: new URL(world.resource.url), method: 'POST' }))['authorization'];

  it('a second process waits for the outcome of the first, and the refresh token is sent once', async () => {
    const inner = createHttpClient({ url: world.resource.url, server: 'test' });
    const [arrived, released] = [gate(), gate()];
    const fetch: typeof inner.fetch = async (url, init) => {
      const response = await inner.fetch(url, init);
      if (!String(url).endsWith('/token')) return response;
      arrived.open();
      await released.opened;
      return response;
    };
    let looks = 0;
    const watched = { ...world.store, get: (key: string) => (looks++, world.store.get(key)) };
    const suspended = world.provider({ clock, store: withoutLock(), network: { fetch } });
    const other = world.provider({ clock, store: watched });
    const before = await bearer(suspended);
    await bearer(other);
    expire();
    const first = bearer(suspended);
    await arrived.opened;
    looks = 0;
    const second = bearer(other);
    await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(2);
    released.open();
    const tokens = await Promise.all([first, second]);
    await inner[Symbol.asyncDispose]();
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[0]).not.toBe(before);
    expect(refreshes()).toEqual([200]);
  });

  it('stores the outcome as soon as the store is available', async () => {
    let refusals = 0;
    const store = withoutLock({
      async set(key, value) {
        if (key.startsWith('oauth\n') && value['renewing'] === undefined && refusals++ < 2) {
          throw new FittingsError('STORE_LOCK_LOST', 'lost');
        }
        await world.store.set(key, value);
      },
    });
    expire();
    const token = await bearer(world.provider({ clock, store }));
    expect(await bearer(world.provider({ clock }))).toBe(token);
    expect(refusals).toBeGreaterThan(2);
    expect(refreshes()).toEqual([200]);
  });

  it('stores nothing after a sign-out in another process', async () => {
    const key = `oauth\n${world.resource.url}`;
    let refused = 0;
    const store = withoutLock({
      async set(name, value) {
        if (name === key && value['renewing'] === undefined && refused++ === 0) {
          await world.store.delete(key);
          throw new FittingsError('STORE_LOCK_LOST', 'lost');
        }
        await world.store.set(name, value);
      },
    });
    const reads: unknown[] = [];
    const watched = {
      ...store,
      get: async (name: string) => {
        const value = await world.store.get(name);
        reads.push(value);
        return value;
      },
    };
    expire();
    await bearer(world.provider({ clock, store: watched }));
    const count = reads.length;
    await expect.poll(() => reads.length, { timeout: 20_000 }).toBeGreaterThan(count);
    expect(await world.store.get(key)).toBeUndefined();
    expect(refused).toBe(1);
  });

  it('does not send a refresh token that could not be marked, nor one whose lock was lost before', async () => {
    const away = withoutLock({
      set: () => Promise.reject(new FittingsError('STORE_UNAVAILABLE', 'away')),
    });
    const late = withoutLock({
      withLock: (_, work) => work(AbortSignal.abort(new FittingsError('STORE_LOCK_LOST', 'lost'))),
    });
    const [first, second] = [world.provider({ clock, store: away }), world.provider({ clock, store: late })];
    expire();
    await expect(bearer(first)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(bearer(second)).rejects.toMatchObject({ code: 'STORE_LOCK_LOST' });
    expect(refreshes()).toEqual([]);
  });

  it('waits for a process that does not come back, and only for a while', async () => {
    const key = `oauth\n${world.resource.url}`;
    await world.store.set(key, { ...(await world.store.get(key)), renewing: 'a process that was killed' });
    const started = Date.now();
    const fast: Clock = {
      now: () => clock.now() + 49 * (Date.now() - started),
      schedule: (task, ms, options) => systemClock.schedule(task, ms / 50, options),
    };
    let looks = 0;
    const watched = { ...world.store, get: (name: string) => (looks++, world.store.get(name)) };
    const provider = world.provider({ clock: fast, store: watched });
    expire();
    expect(await bearer(provider)).toMatch(/^Bearer /);
    expect(looks).toBeGreaterThan(20);
    expect(refreshes()).toEqual([200]);
  });
});

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

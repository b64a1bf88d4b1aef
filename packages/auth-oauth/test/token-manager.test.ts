import { describe, expect, it, vi } from 'vitest';
import { FittingsError, type StoredValue, type TokenStore } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { memoryStore } from '@mcp-fittings/store-file';
import { nodePlatform } from '../src/node-platform.js';
import type { TokenRecord } from '../src/tokens/token-record.js';
import { managerOn, NEW, OLD } from './support/token-managers.js';

it.each([
  [1, 'is sent'],
  [0, 'is not sent'],
])('a token that expires in %s ms and cannot be renewed %s', async (left, outcome) => {
  const clock = createManualClock();
  const tokens = managerOn(memoryStore(), { clock, run: () => Promise.reject(new Error('no')) });
  const now = clock.now();
  const held = { ...OLD, refreshToken: undefined, obtainedAt: now - 3_600_000, expiresAt: now + left };
  await tokens.keep(held);
  expect(await tokens.usable()).toEqual(outcome === 'is sent' ? held : undefined);
});

/** The next read returns the current value, once it is released. */
function holdRead(store: TokenStore): () => void {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const get = store.get.bind(store);
  vi.spyOn(store, 'get').mockImplementationOnce(async (key): Promise<StoredValue | undefined> => {
    const value = await get(key);
    await released;
    return value;
  });
  return () => release();
}

describe('the held token and the stored one', () => {
  it('reads the store once for a burst of refused calls, and again for the next one', async () => {
    const store = memoryStore();
    const get = vi.spyOn(store, 'get');
    const first = managerOn(store);
    await first.keep(OLD);
    expect([first.ready, await first.current()]).toEqual([OLD, OLD]);
    expect(get).not.toHaveBeenCalled();
    const tokens = managerOn(store);
    const read = await Promise.all(Array.from({ length: 20 }, () => tokens.reload()));
    expect(new Set(read.map((record) => record?.accessToken))).toEqual(new Set(['old']));
    expect(get).toHaveBeenCalledTimes(1);
    await managerOn(store).keep(NEW);
    expect(await tokens.reload()).toMatchObject({ accessToken: 'new' });
  });

  it.each([
    ['the renewal', async () => undefined],
    ['one that found the token of another process', (store: TokenStore) => managerOn(store).keep(NEW)],
  ])('does not go back to the old token when a slow read ends after %s', async (_, meanwhile) => {
    const store = memoryStore();
    const tokens = managerOn(store);
    await tokens.keep(OLD);
    const release = holdRead(store);
    const slow = tokens.reload();
    await meanwhile(store);
    expect(await tokens.renew(OLD)).toBe('fresh');
    release();
    expect(await slow).toMatchObject({ accessToken: 'new' });
    expect(await tokens.current()).toMatchObject({ accessToken: 'new' });
  });

  it.each([
    [0, 'new'],
    [1, 'theirs'],
  ])(
    'of one that could not be stored and one stored %s ms later, takes the latter if it is newer',
    async (obtainedAt, taken) => {
      const store = memoryStore();
      const tokens = managerOn(store);
      vi.spyOn(store, 'set').mockRejectedValueOnce(new Error('disk full'));
      await tokens.keep(NEW);
      await managerOn(store).keep({ ...OLD, accessToken: 'theirs', obtainedAt });
      expect(await tokens.reload()).toMatchObject({ accessToken: taken });
    },
  );

  it('stays signed out when a slow read ends after it', async () => {
    const store = memoryStore();
    const tokens = managerOn(store);
    await tokens.keep(OLD);
    const release = holdRead(store);
    const slow = tokens.reload();
    await tokens.drop();
    release();
    expect(await slow).toBeUndefined();
    expect(await tokens.current()).toBeUndefined();
  });
});

describe('a refresh whose reply arrives after', () => {
  const THEIRS: TokenRecord = { ...OLD, accessToken: 'theirs', refreshToken: 'r3', obtainedAt: 5 };
  const refused = (oauthError: string, status: number): Promise<never> =>
    Promise.reject(new FittingsError('AUTH_FAILED', 'no', { details: { oauthError, status } }));
  const REPLIES = {
    'a new token': async () => NEW,
    invalid_grant: () => refused('invalid_grant', 400),
    'a temporary error': () => Promise.reject(new FittingsError('SERVER_ERROR', 'no')),
  };

  it.each(
    Object.keys(REPLIES).flatMap((reply) =>
      (['this process', 'another one'] as const).flatMap((where) =>
        (['a sign-out', 'a sign-in'] as const).map(
          (what) => [what, where, reply as keyof typeof REPLIES] as const,
        ),
      ),
    ),
  )('%s in %s changes nothing: %s', async (what, where, reply) => {
    const store = memoryStore();
    const other = managerOn(store);
    const tokens = managerOn(store, {
      clock: systemClock,
      async run() {
        const changing = where === 'this process' ? tokens : other;
        await (what === 'a sign-out' ? changing.drop() : changing.keep(THEIRS));
        return REPLIES[reply]();
      },
    });
    await tokens.keep(OLD);
    const outcome = await tokens.renew(OLD).catch(() => 'failed');
    const expected = what === 'a sign-out' ? undefined : { ...THEIRS, version: 1 };
    expect(await store.get('k')).toEqual(expected);
    expect((await tokens.reload())?.accessToken).toBe(expected?.accessToken);
    if (reply !== 'a temporary error') expect(outcome).toBe(what === 'a sign-out' ? 'none' : 'fresh');
  });

  it('a sign-out before the refresh token was marked stores nothing', async () => {
    const store = memoryStore();
    const tokens = managerOn(store, { clock: systemClock });
    await tokens.keep(OLD);
    vi.spyOn(nodePlatform.marks, 'make').mockImplementationOnce(async () => {
      await tokens.drop();
      return 'mark';
    });
    expect(await tokens.renew(OLD).catch(() => 'failed')).toBe('none');
    expect(await store.get('k')).toBeUndefined();
  });

  it.each([
    ['a sign-out', undefined],
    ['a sign-in', 'theirs'],
  ])('%s while the new token is being written counts', async (what, accessToken) => {
    const store = memoryStore();
    const set = store.set.bind(store);
    const tokens = managerOn(store);
    await tokens.keep(OLD);
    let change = Promise.resolve();
    vi.spyOn(store, 'set').mockImplementation(async (key, value) => {
      if (value['accessToken'] === 'new') {
        change = what === 'a sign-out' ? tokens.drop() : tokens.keep(THEIRS);
        // A file takes longer to write than to delete.
        await new Promise((resolve) => setImmediate(resolve));
      }
      await set(key, value);
    });
    await tokens.renew(OLD);
    await change;
    expect((await store.get('k'))?.['accessToken']).toBe(accessToken);
  });
});

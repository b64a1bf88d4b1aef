import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileStore, memoryStore } from '@mcp-fittings/store-file';
import { asStoreError, FileLocks, entryName } from '@mcp-fittings/toolbox/stores';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bothStores } from './support/both-stores.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

let temporary: TemporaryDirectory;
let path: string;
beforeEach(async () => {
  temporary = await temporaryDirectory();
  path = join(temporary.path, 'store');
});
afterEach(() => temporary[Symbol.asyncDispose]());

const nested = (depth: number): Record<string, unknown> => {
  let value: Record<string, unknown> = { end: 1 };
  for (let level = 0; level < depth; level++) value = { v: value };
  return value;
};

describe('a plain store on a damaged disk', () => {
  const value = { accessToken: 'a1b2', expiresAt: 1_800_000_000_000, note: 'ü "\\ \n' };
  const fileOf = async (): Promise<string> => {
    const names = await readdir(path);
    return join(path, names.find((name) => name.length > 40 && name.endsWith('.json')) ?? '');
  };

  it('detects every flipped bit', async () => {
    const store = fileStore({ path, consent: () => true });
    await store.set('key ü', value);
    const file = await fileOf();
    const good = await readFile(file);
    const unnoticed: number[] = [];
    for (let bit = 0; bit < good.length * 8; bit++) {
      const bad = Buffer.from(good);
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await writeFile(file, bad);
      const outcome = await store.get('key ü').catch((error: { code?: unknown }) => error.code);
      if (outcome !== 'STORE_CORRUPT') unnoticed.push(bit);
    }
    expect(unnoticed).toEqual([]);
    await writeFile(file, good);
    expect(await store.get('key ü')).toEqual(value);
  });

  it('detects a file that is truncated, doubled, or has swapped bytes', async () => {
    const store = fileStore({ path, consent: () => true });
    await store.set('key', value);
    const file = await fileOf();
    const good = await readFile(file, 'utf8');
    for (const bad of ['', good.slice(0, -1), good + good, `${good} `, good.replace('a1b2', 'b1a2')]) {
      await writeFile(file, bad);
      await expect(store.get('key')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
  });
});

describe('values that harm code that copies them', () => {
  const stores = () => [memoryStore(), ...bothStores.map(([, , open]) => open(path))];
  it.each([
    ['an own __proto__', JSON.parse('{"__proto__":{"admin":true}}')],
    ['an own __proto__ further down', JSON.parse('{"a":[{"b":{"__proto__":1}}]}')],
    ['too many levels', nested(300)],
    ['so many levels that JSON gives up', nested(100_000)],
  ])('%s is refused with a typed error', async (_, value) => {
    for (const store of stores()) {
      await expect(store.set('key', value)).rejects.toMatchObject({ code: 'STORE_VALUE_INVALID' });
    }
  });

  it('reads every value that it accepts', async () => {
    for (const store of stores()) {
      await store.set('key', nested(255));
      expect(await store.get('key')).toEqual(nested(255));
    }
  });
});

describe('errors that name what blocks a lock', () => {
  it.each(['notes.txt', '.DS_Store', 'held.by.hand'])('names a foreign file %s in a lock', async (name) => {
    const directory = join(temporary.path, 'locks');
    // Far longer than a test may take: the file stays, so there is nothing to wait for.
    const locks = new FileLocks({ directory, waitMs: 3_600_000 });
    await locks.run('x', async () => undefined);
    const lock = join(directory, entryName('x'));
    await rm(lock, { recursive: true });
    await mkdir(lock, { mode: 0o700 });
    await writeFile(join(lock, name), '');
    const error = await locks.run('x', async () => undefined).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { path: join(lock, name) } });
    expect(error).toHaveProperty('hint', expect.stringContaining(join(lock, name)));
    await rm(join(lock, name));
    expect(await locks.run('x', async () => 'in')).toBe('in');
  });

  it('ignores a foreign file next to the file of a lock', async () => {
    const directory = join(temporary.path, 'locks');
    const locks = new FileLocks({ directory, waitMs: 1000 });
    await locks.run('x', async () => undefined);
    await writeFile(join(directory, entryName('x'), 'notes.txt'), '');
    expect(await locks.run('x', async () => 'in')).toBe('in');
  });

  it('a wait for a lock ends even if the clock is set back meanwhile', async () => {
    const directory = join(temporary.path, 'locks');
    const holder = new FileLocks({ directory });
    let started = 0;
    const clock = {
      // An hour back, from the third look on.
      now: () => Date.now() - (started++ > 2 ? 3_600_000 : 0),
      schedule: (task: () => void, ms: number) => {
        const timer = setTimeout(task, ms);
        return { [Symbol.dispose]: () => clearTimeout(timer) };
      },
    };
    const waiter = new FileLocks({ directory, waitMs: 300, clock });
    await holder.run('x', async () => {
      await expect(waiter.run('x', async () => 'in')).rejects.toMatchObject({ code: 'STORE_BUSY' });
    });
  });

  it.each([
    ['ENOSPC', 'The disk is full'],
    ['EDQUOT', 'quota'],
    ['EROFS', 'read-only'],
  ])('%s is said in words, with what to do', (code, words) => {
    const error = asStoreError(Object.assign(new Error(code), { code }), 'Not written.');
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { systemCode: code } });
    expect(error.message).toContain(words);
    expect(error.hint).toMatch(/space|path/);
  });
});

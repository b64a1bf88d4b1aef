import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  keychainStore,
  type CorruptEntryEvent,
  type KeychainStore,
  type KeychainStoreOptions,
  type KeytarLike,
} from '@mcp-fittings/store-keychain';
import { entryName } from '@mcp-fittings/toolbox/stores';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryKeytar, type MemoryKeytar } from './support/memory-keytar.js';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const SERVICE = 'mcp-fittings';
const LONG = { token: 'x'.repeat(5000) };

let temporary: TemporaryDirectory;
let driver: MemoryKeytar;
let events: CorruptEntryEvent[];
beforeEach(async () => {
  temporary = await temporaryDirectory();
  driver = memoryKeytar();
  events = [];
});
afterEach(() => temporary[Symbol.asyncDispose]());

function opened(options: KeychainStoreOptions = {}): KeychainStore {
  const onCorrupt = (event: CorruptEntryEvent): void => void events.push(event);
  return keychainStore({
    driver,
    lockDirectory: join(temporary.path, 'locks'),
    layout: 'entries',
    chunkCharacters: 1200,
    onCorrupt,
    ...options,
  });
}

const accounts = (service = SERVICE): string[] => [...(driver.items.get(service)?.keys() ?? [])];
const chunks = (): string[] => accounts().filter((account) => account.includes('#'));
const item = (account: string): string => driver.items.get(SERVICE)?.get(account) ?? '';
const damage = (account: string, text: string): unknown => driver.items.get(SERVICE)?.set(account, text);

describe('names', () => {
  it('names accounts by a hash that reveals neither the key nor the service', async () => {
    for (const key of ['https://as.example/secret-tenant', 'a\u0000b', '/', 'x'.repeat(10_240)]) {
      await opened().set(key, LONG);
    }
    expect(accounts().length).toBeGreaterThan(4);
    for (const account of accounts()) expect(account).toMatch(/^v1:[\w-]{43}(#[01]#\d+)?$/);
  });

  it('separates (a, bc) from (ab, c), and services that a native keychain would cut at NUL', async () => {
    const services = [
      'a',
      'ab',
      'a\u0000b',
      'a\u0000c',
      'a\nb',
      '/',
      '',
      'x'.repeat(10_240),
      '\u202ea',
      'caf\u00e9',
    ];
    const pairs = services.flatMap((service) => ['bc', 'c', 'b'].map((key) => ({ service, key })));
    for (const { service, key } of pairs) await opened({ service }).set(key, { service, key });
    for (const { service, key } of pairs)
      expect(await opened({ service }).get(key)).toEqual({ service, key });
    for (const service of driver.items.keys()) expect(service).toMatch(/^[\u0020-\u007e]{1,64}$/);
    const all = [...driver.items].flatMap(([service, items]) =>
      [...items.keys()].map((account) => `${service} ${account}`),
    );
    expect(new Set(all.filter((item) => !item.includes('#'))).size).toBe(pairs.length);
  });

  it('writes one line of ASCII, because native keychains lose the rest', async () => {
    await opened().set('key', { text: 'line\nline\u0000\u00e9\u{1f511}' });
    for (const account of accounts()) expect(item(account)).toMatch(/^[\u0020-\u007e]+$/);
  });
});

describe('long values', () => {
  it('stores up to 1200 characters in one item, and more in several items of at most that length', async () => {
    const store = opened();
    const envelope = '{"v":1,"value":{"t":""}}'.length;
    await store.set('fits', { t: 'x'.repeat(1200 - envelope) });
    expect(accounts()).toHaveLength(1);
    await store.set('spreads', { t: 'x'.repeat(1200 - envelope + 1) });
    expect(chunks()).toHaveLength(1);
    await store.set('long', { t: '\u{1f511}'.repeat(3000) });
    expect(Math.max(...accounts().map((account) => item(account).length))).toBe(1200);
    expect(await store.get('long')).toEqual({ t: '\u{1f511}'.repeat(3000) });
  });

  it('leaves no chunk of an older version, and nothing of a deleted entry', async () => {
    const store = opened();
    for (const length of [9000, 2000, 6000, 10, 9000]) {
      await store.set('key', { t: 'x'.repeat(length) });
      const expected = length < 1000 ? 0 : Math.ceil((length + '{"t":""}'.length) / 1200);
      expect(chunks()).toHaveLength(expected);
    }
    await store.delete('key');
    expect(accounts()).toEqual([]);
  });

  it('returns the old value or the new one, whichever write or deletion of an item fails, and cleans up later', async () => {
    const values = [
      { t: 'small' },
      { t: 'a'.repeat(3000) },
      { t: 'b'.repeat(7000) },
      { t: 'c'.repeat(4000) },
    ];
    for (const [index, before] of values.entries()) {
      for (const after of values.filter((_, other) => other !== index)) {
        for (let failing = 1; ; failing++) {
          driver.items.clear();
          const store = opened();
          await store.set('key', before);
          let calls = 0;
          const fail = (): void => {
            // From here on every call fails, as if the process was killed or the keychain locked.
            if (++calls >= failing) throw new Error('killed');
          };
          const { setPassword, deletePassword } = driver;
          driver.setPassword = async (...args) => (fail(), setPassword(...args));
          driver.deletePassword = async (...args) => (fail(), deletePassword(...args));
          const outcome = await store.set('key', after).then(
            () => 'set',
            () => 'failed',
          );
          Object.assign(driver, { setPassword, deletePassword });
          const stored = await opened().get('key');
          expect([before, after]).toContainEqual(stored);
          if (outcome === 'set') expect(stored).toEqual(after);
          // The next write removes what was left.
          await opened().set('key', { t: 'd'.repeat(3000) });
          await opened().delete('key');
          expect(accounts()).toEqual([]);
          if (calls < failing) break;
        }
      }
    }
    expect(events).toEqual([]);
  });

  it('treats an entry with a missing chunk as absent, and reports it', async () => {
    const store = opened();
    await store.set('key', LONG);
    for (const chunk of chunks()) {
      const text = item(chunk);
      driver.items.get(SERVICE)?.delete(chunk);
      expect(await store.get('key')).toBeUndefined();
      expect(events.splice(0)).toEqual([
        { entry: chunk.slice('v1:'.length, 'v1:'.length + 43), reason: 'chunk-missing' },
      ]);
      damage(chunk, text);
    }
    expect(await store.get('key')).toEqual(LONG);
    driver.items.get(SERVICE)?.delete(chunks()[0] ?? '');
    await store.set('key', { token: 'new' });
    expect(await store.get('key')).toEqual({ token: 'new' });
    expect(events).toEqual([]);
  });

  it('treats an entry with a foreign, older, truncated or moved chunk as absent, and reports it', async () => {
    const store = opened();
    await store.set('other', LONG);
    const foreign = item(chunks()[0] ?? '');
    await store.delete('other');
    await store.set('key', { token: 'y'.repeat(5000) });
    const older = item(chunks()[1] ?? '');
    await store.set('key', { token: 'z'.repeat(5000) });
    const [first = '', second = ''] = chunks();
    const [one, two] = [item(first), item(second)];
    for (const [account, text] of [
      [first, foreign],
      [second, older],
      [first, one.slice(0, -1)],
      [first, ''],
      [first, two],
    ] as const) {
      damage(account, text);
      expect(await store.get('key')).toBeUndefined();
      expect(events.splice(0)).toMatchObject([{ reason: 'chunk-foreign' }]);
      damage(first, one);
      damage(second, two);
    }
    expect(await store.get('key')).toEqual({ token: 'z'.repeat(5000) });
  });

  it('treats an entry with a foreign header as absent, and reports it', async () => {
    const store = opened();
    await store.set('key', LONG);
    const [head = ''] = accounts().filter((account) => !account.includes('#'));
    const good = JSON.parse(item(head)) as Record<string, unknown>;
    const bad = [
      '',
      'null',
      '[]',
      'not json',
      '{"v":2,"value":{}}',
      '{"v":1}',
      '{"v":1,"value":[]}',
      JSON.stringify({ ...good, slot: 2 }),
      JSON.stringify({ ...good, chunks: 0 }),
      JSON.stringify({ ...good, chunks: 1.5 }),
      JSON.stringify({ ...good, chunks: 1e9 }),
      JSON.stringify({ ...good, sum: 7 }),
    ];
    for (const text of bad) {
      damage(head, text);
      expect(await store.get('key')).toBeUndefined();
      expect(events.splice(0)).toMatchObject([{ reason: 'header-malformed' }]);
    }
    await store.set('key', { token: 'new' });
    expect(await store.get('key')).toEqual({ token: 'new' });
    await store.delete('key');
    expect(accounts()).toEqual([]);
  });

  it('ignores errors of the onCorrupt handler', async () => {
    const store = opened({
      onCorrupt: () => {
        throw new Error('handler');
      },
    });
    await store.set('key', {});
    damage(accounts()[0] ?? '', 'not json');
    expect(await store.get('key')).toBeUndefined();
  });
});

describe('one bundled item', () => {
  it('stores everything in one item, so that macOS asks once', async () => {
    const store = opened({ layout: 'bundle', chunkCharacters: 100_000 });
    for (const key of ['a', 'b', 'c']) await store.set(key, { key, text: 'x'.repeat(3000) });
    expect(accounts()).toHaveLength(1);
    await store.delete('b');
    expect(await store.get('a')).toMatchObject({ key: 'a' });
    expect(await store.get('b')).toBeUndefined();
    await store.delete('a');
    await store.delete('c');
    expect(accounts()).toEqual([]);
  });

  it('reads one item for any number of entries, and probes once', async () => {
    const store = opened({ layout: 'bundle', chunkCharacters: 100_000 });
    const set = vi.spyOn(driver, 'setPassword');
    for (const key of ['a', 'b', 'c']) await store.set(key, { key });
    expect(
      new Set(set.mock.calls.map(([, account]) => account).filter((account) => !account.includes('probe')))
        .size,
    ).toBe(1);
    expect(set.mock.calls.filter(([, account]) => account.includes('probe'))).toHaveLength(2);
  });

  it('rejects a bundle that is too large for a keychain item', async () => {
    const store = opened({ layout: 'bundle', chunkCharacters: 2_000_000 });
    let error: unknown;
    for (let n = 0; n < 20 && error === undefined; n++) {
      error = await store.set(`key ${n}`, { t: 'x'.repeat(60_000) }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
    }
    expect(error).toMatchObject({ code: 'STORE_VALUE_INVALID', kind: 'auth' });
    expect(await store.get('key 0')).toBeDefined();
  });
});

describe('the probe', () => {
  it('fails when the keychain returns another value than the one that was written', async () => {
    driver.getPassword = async () => 'something else';
    const unavailable = { code: 'STORE_UNAVAILABLE', details: { state: 'unavailable' } };
    expect(await opened().status()).toMatchObject({ state: 'unavailable', error: unavailable });
    await expect(opened().set('key', {})).rejects.toMatchObject(unavailable);
    driver.getPassword = async () => null;
    expect(await opened().status()).toMatchObject({ state: 'unavailable', error: unavailable });
    // A "no such item" of such a keychain does not prove absence.
    await expect(opened().get('key')).rejects.toMatchObject(unavailable);
    await expect(opened().delete('key')).rejects.toMatchObject(unavailable);
  });

  it('runs before the first write, again after a failure, and not again after a success', async () => {
    const store = opened();
    const { setPassword } = driver;
    driver.setPassword = async () => {
      throw new Error('not yet');
    };
    const refusal = { code: 'STORE_UNAVAILABLE', details: { state: 'read-only' } };
    await expect(store.set('key', {})).rejects.toMatchObject(refusal);
    expect(await store.status()).toMatchObject({ state: 'read-only', error: refusal });
    driver.setPassword = setPassword;
    const set = vi.spyOn(driver, 'setPassword');
    await Promise.all(['a', 'b', 'c'].map((key) => store.set(key, { token: 't'.repeat(500) })));
    const probes = set.mock.calls.filter(([, account]) => account.startsWith('v1:probe:'));
    expect(set.mock.calls[0]?.[1]).toMatch(/^v1:probe:/);
    expect(probes.length).toBeLessThanOrEqual(1 + 3);
    expect(accounts().filter((account) => account.includes('probe'))).toEqual([]);
  });

  for (const words of [
    'User interaction is not allowed.',
    'The user name or passphrase you entered is not correct. The keychain is locked.',
    'User canceled the operation.',
  ]) {
    it(`recognizes the texts of macOS: ${words}`, async () => {
      driver.getPassword = async () => {
        throw new Error(words);
      };
      await expect(opened().get('key')).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    });
  }

  it('sanitizes the text of a driver, and never quotes the value to store', async () => {
    const secret = 'canary-from-the-driver';
    driver.setPassword = async (_service, _account, password) => {
      throw new Error(`\u001b[31mcan not store "${password}"\u0007 ${'x'.repeat(10_000)}`);
    };
    const error: unknown = await opened()
      .set('key', { secret })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(message.length).toBeLessThan(700);
    expect(message).toContain('[redacted]');
  });
});

describe('locks', () => {
  it('serializes all access to the keychain, including reads and the probe, whatever the entry and the service', async () => {
    let inside = 0;
    let most = 0;
    let calls = 0;
    const alone = async <T>(work: () => Promise<T>): Promise<T> => {
      calls++;
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      return work();
    };
    const counted: KeytarLike = {
      getPassword: (...names) => alone(() => driver.getPassword(...names)),
      setPassword: (...names) => alone(() => driver.setPassword(...names)),
      deletePassword: (...names) => alone(() => driver.deletePassword(...names)),
    };
    const stores = ['one', 'two'].map((service) => opened({ driver: counted, service }));
    await Promise.all(
      stores.flatMap((store) => [
        store.status(),
        ...['a', 'b', 'c'].flatMap((key) => [store.set(key, LONG), store.get(key), store.delete(key)]),
      ]),
    );
    expect(calls).toBeGreaterThan(20);
    expect(most).toBe(1);
  });

  it.each([
    ['in the middle of a write', 1],
    ['before the last item of a write', 5],
  ])('stops %s when it has lost the keychain lock, and the old value stays valid', async (_, lastItem) => {
    const store = opened();
    await store.set('key', { old: true });
    const turn = join(temporary.path, 'locks', entryName('keychain'));
    const moveTo = async (to: string): Promise<void> => {
      const [file = ''] = await readdir(turn);
      await rename(join(turn, file), join(turn, to));
    };
    const { setPassword } = driver;
    let written = 0;
    driver.setPassword = async (...args) => {
      await setPassword(...args);
      if (++written === lastItem) await moveTo('held.abc.1.0.def');
    };
    await expect(store.set('key', LONG)).rejects.toMatchObject({ code: 'STORE_LOCK_LOST' });
    expect([written, chunks()]).toEqual([lastItem, expect.objectContaining({ length: lastItem })]);
    await moveTo('free');
    expect(await store.get('key')).toEqual({ old: true });
  });
});

describe('options', () => {
  it('rejects limits that cannot work', () => {
    for (const options of [{ timeoutMs: 0 }, { timeoutMs: Number.NaN }, { chunkCharacters: 100 }]) {
      expect(() => keychainStore(options)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', kind: 'auth' }),
      );
    }
  });
});

describe('values in a keychain item', () => {
  const header = (): string => accounts().find((account) => !account.includes('#')) ?? '';

  it.each(['entries', 'bundle'] as const)('does not return an own __proto__ (%s)', async (layout) => {
    const store = opened({ layout });
    await store.set('key', { token: 'good' });
    const text = item(header()).replaceAll('token', '__proto__');
    expect(text).toContain('__proto__');
    damage(header(), text);
    expect(await store.get('key')).toBeUndefined();
    expect(events).toMatchObject([{ reason: layout === 'bundle' ? 'entry-malformed' : 'header-malformed' }]);
  });

  it.each([
    ['no JSON', '"{"'],
    ['a number', '5'],
    ['an object', '{"token":"x"}'],
    ['a text that is not an object', '"[]"'],
  ])('a bundle entry that is %s is reported, and the others stay', async (_, json) => {
    const store = opened({ layout: 'bundle' });
    await store.set('one', { token: '1' });
    await store.set('two', { token: '2' });
    const name = entryName(SERVICE, 'entry', 'one');
    damage(header(), item(header()).replace(/("[\w-]{43}"):"\{[^}]*1\\"\}"/, `$1:${json}`));
    expect(await store.get('one')).toBeUndefined();
    expect(events).toEqual([{ entry: name, reason: 'entry-malformed' }]);
    expect(await store.get('two')).toEqual({ token: '2' });
    await store.set('three', { token: '3' });
    expect(await store.get('two')).toEqual({ token: '2' });
  });

  it('rejects deep values, its own and foreign ones, with typed errors', async () => {
    const store = opened({ layout: 'bundle' });
    await store.set('key', { token: 'good' });
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    damage(header(), item(header()).replace('"value":{', `"value":{"foreign":${deep},`));
    await store.set('other', { token: 'x' });
    expect(await store.get('other')).toEqual({ token: 'x' });
    let value: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) value = { v: value };
    await expect(store.set('key', value)).rejects.toMatchObject({ code: 'STORE_VALUE_INVALID' });
  });
});

describe('a service that goes away in the middle of a call', () => {
  const words = [
    'Platform failure: D-Bus error: Message recipient disconnected from message bus without replying',
    'GDBus.Error:org.freedesktop.DBus.Error.NoReply: gone',
    'The connection is closed',
  ];

  it.each(words)('is called once more: %s', async (message) => {
    const store = opened();
    await store.set('key', { token: 'x' });
    for (const method of ['getPassword', 'setPassword', 'deletePassword'] as const) {
      const spy = vi.spyOn(driver, method).mockRejectedValueOnce(new Error(message));
      if (method === 'getPassword') expect(await store.get('key')).toEqual({ token: 'x' });
      else if (method === 'setPassword') await store.set('key', { token: 'x' });
      else await store.delete('key');
      spy.mockRestore();
    }
    expect(await store.get('key')).toBeUndefined();
  });

  it('only once, and the error says what happened and what to do', async () => {
    const store = opened();
    await store.set('key', { token: 'x' });
    const spy = vi.spyOn(driver, 'getPassword').mockRejectedValue(new Error(words[0]));
    const error = await store.get('key').catch((cause: unknown) => cause);
    expect(spy).toHaveBeenCalledTimes(2);
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    expect(error).toHaveProperty('message', expect.stringContaining('went away'));
    expect(error).toHaveProperty('hint', expect.stringContaining('log'));
  });
});

import { randomBytes } from 'node:crypto';
import { cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptedFileStore } from '@mcp-fittings/store-file';
import { type EncryptionKey, entryName } from '@mcp-fittings/toolbox/stores';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDirectory, type TemporaryDirectory } from '../../toolbox/test/support/temp-directory.js';

const CANARY = 'canary-4711-access-token';
const CORRUPT = { code: 'STORE_CORRUPT', kind: 'auth', retryable: false };

let temporary: TemporaryDirectory;
let path: string;
beforeEach(async () => {
  temporary = await temporaryDirectory();
  path = join(temporary.path, 'store');
});
afterEach(() => temporary[Symbol.asyncDispose]());

const fileOf = (key: string): string => join(path, `${entryName(key)}.sealed`);
const newKey = (id: string): EncryptionKey => ({ id, bytes: randomBytes(32) });

interface Envelope {
  v: number;
  keyId: string;
  iv: string;
  sealed: string;
}

async function envelopeOf(key: string): Promise<Envelope> {
  return JSON.parse(await readFile(fileOf(key), 'utf8')) as Envelope;
}

describe('with a key from the host', () => {
  const key = newKey('2026');
  const store = (): ReturnType<typeof encryptedFileStore> => encryptedFileStore({ path, key: () => key });

  it('leaves neither the value nor the key of the entry readable on the disk', async () => {
    await store().set('https://as.example/secret-tenant', { token: CANARY, refresh: 'canary-refresh' });
    for (const name of await readdir(path)) {
      if (name === 'locks') continue;
      const text = await readFile(join(path, name), 'latin1');
      expect(text).not.toContain('canary');
      expect(text).not.toContain(Buffer.from(CANARY).toString('base64url').slice(2, -2));
      expect(`${name}${text}`).not.toContain('tenant');
    }
  });

  it('refuses a file with any bit flipped', async () => {
    await store().set('key', { token: CANARY });
    const original = await envelopeOf('key');
    for (const member of ['iv', 'sealed'] as const) {
      const bytes = Buffer.from(original[member], 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        await writeFile(
          fileOf('key'),
          JSON.stringify({ ...original, [member]: flipped.toString('base64url') }),
        );
        await expect(store().get('key')).rejects.toMatchObject(CORRUPT);
      }
    }
    await writeFile(fileOf('key'), JSON.stringify(original));
    expect(await store().get('key')).toEqual({ token: CANARY });
  });

  it('refuses a file truncated anywhere', async () => {
    await store().set('key', { token: CANARY });
    const original = await envelopeOf('key');
    for (const member of ['iv', 'sealed'] as const) {
      const bytes = Buffer.from(original[member], 'base64url');
      for (let length = 0; length < bytes.length; length++) {
        const cut = bytes.subarray(0, length).toString('base64url');
        await writeFile(fileOf('key'), JSON.stringify({ ...original, [member]: cut }));
        await expect(store().get('key')).rejects.toMatchObject(CORRUPT);
      }
    }
    const text = JSON.stringify(original);
    for (let length = 0; length < text.length; length++) {
      await writeFile(fileOf('key'), text.slice(0, length));
      await expect(store().get('key')).rejects.toMatchObject(CORRUPT);
    }
  });

  it('refuses the file of another entry', async () => {
    await store().set('mine', { token: 'mine' });
    await store().set('yours', { token: 'yours' });
    await writeFile(fileOf('mine'), await readFile(fileOf('yours')));
    await expect(store().get('mine')).rejects.toMatchObject(CORRUPT);
    expect(await store().get('yours')).toEqual({ token: 'yours' });
  });

  it('refuses a changed key id, even if the host returns one key for all ids', async () => {
    await store().set('key', { token: CANARY });
    await writeFile(fileOf('key'), JSON.stringify({ ...(await envelopeOf('key')), keyId: '2027' }));
    const careless = encryptedFileStore({ path, key: (id = '2026') => ({ id, bytes: key.bytes }) });
    await expect(careless.get('key')).rejects.toMatchObject(CORRUPT);
  });

  it('refuses the right file under another key of the same id', async () => {
    await store().set('key', { token: CANARY });
    const other = encryptedFileStore({ path, key: () => newKey('2026') });
    await expect(other.get('key')).rejects.toMatchObject(CORRUPT);
  });

  it('never uses a nonce twice', async () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 200; n++) {
      await store().set('key', { token: CANARY });
      nonces.add((await envelopeOf('key')).iv);
    }
    expect(nonces.size).toBe(200);
  });

  it('supports key rotation: reads with the old key, writes with the new one', async () => {
    await store().set('key', { token: 'old' });
    const keys = [newKey('2027'), key];
    const rotated = encryptedFileStore({
      path,
      key: (id) => (id === undefined ? keys[0] : keys.find((candidate) => candidate.id === id)),
    });
    expect(await rotated.get('key')).toEqual({ token: 'old' });
    await rotated.set('key', { token: 'new' });
    expect((await envelopeOf('key')).keyId).toBe('2027');
    expect(await rotated.get('key')).toEqual({ token: 'new' });
    await expect(store().get('key')).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      details: { keyId: '2027' },
    });
  });

  it('says "locked", never "absent", without the key', async () => {
    await store().set('key', { token: CANARY });
    const without = encryptedFileStore({ path, key: () => undefined });
    await expect(without.get('key')).rejects.toMatchObject({ code: 'STORE_LOCKED', kind: 'auth' });
    await expect(without.set('key', {})).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    expect(await without.get('other')).toBeUndefined();
    expect(await store().get('key')).toEqual({ token: CANARY });
  });

  it('refuses a key of another length and an invalid id', async () => {
    const bad = [
      { id: 'k', bytes: randomBytes(16) },
      { id: '', bytes: randomBytes(32) },
      { id: 'x'.repeat(257), bytes: randomBytes(32) },
    ];
    for (const one of bad) {
      await expect(encryptedFileStore({ path, key: () => one }).set('key', {})).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        kind: 'auth',
      });
    }
  });

  it('keeps the error of a key callback that fails', async () => {
    const down = (): never => {
      throw new Error('the key management service is down');
    };
    await expect(encryptedFileStore({ path, key: down }).set('key', {})).rejects.toMatchObject({
      code: 'CALLBACK_FAILED',
      kind: 'auth',
      cause: { message: 'the key management service is down' },
    });
  });
});

describe('with a passphrase', () => {
  const PASSPHRASE = 'p\u00e4ssword';
  // Deriving a key takes a second, so one store writes what all tests begin with.
  let written: TemporaryDirectory;
  let asked = 0;
  beforeAll(async () => {
    written = await temporaryDirectory();
    const passphrase = (): string => {
      asked += 1;
      return PASSPHRASE;
    };
    const first = encryptedFileStore({ path: join(written.path, 'store'), passphrase });
    await Promise.all(['a', 'b'].map((key) => first.set(key, { token: key })));
    expect(await first.get('a')).toEqual({ token: 'a' });
  });
  afterAll(() => written[Symbol.asyncDispose]());
  beforeEach(() => cp(join(written.path, 'store'), path, { recursive: true }));

  it('asks once, shares its salt with other processes, and normalizes the passphrase', async () => {
    expect(asked).toBe(1);
    // Decomposed, as a Mac types it.
    const second = encryptedFileStore({ path, passphrase: () => 'pa\u0308ssword' });
    expect(await second.get('b')).toEqual({ token: 'b' });
    expect((await envelopeOf('a')).keyId).toBe((await envelopeOf('b')).keyId);
  });

  it('reports an incorrect passphrase, lets the user try again, and writes nothing until then', async () => {
    const answers = ['wrong', 'wrong', ''];
    const store = encryptedFileStore({ path, passphrase: () => answers.shift() ?? PASSPHRASE });
    const locked = { code: 'STORE_LOCKED', kind: 'auth', retryable: true };
    await expect(store.get('a')).rejects.toMatchObject(locked);
    await expect(store.set('a', { token: 'new' })).rejects.toMatchObject(locked);
    await expect(store.get('a')).rejects.toMatchObject(locked);
    expect(await store.get('a')).toEqual({ token: 'a' });
  });

  it('still reads its files after the salt file was lost, and creates a new one', async () => {
    await rm(join(path, 'passphrase.json'));
    const store = encryptedFileStore({ path, passphrase: () => PASSPHRASE });
    expect(await store.get('a')).toEqual({ token: 'a' });
    await store.set('other', { token: 'o' });
    expect((await envelopeOf('other')).keyId).not.toBe((await envelopeOf('a')).keyId);
  });

  it('refuses a weaker derivation written to the directory by another program', async () => {
    const weak = `scrypt-1-1-1:${'A'.repeat(22)}`;
    const store = encryptedFileStore({ path, passphrase: () => PASSPHRASE });
    await writeFile(join(path, 'passphrase.json'), JSON.stringify({ id: weak, check: 'x' }));
    await expect(store.set('a', {})).rejects.toMatchObject(CORRUPT);
    await writeFile(fileOf('a'), JSON.stringify({ ...(await envelopeOf('a')), keyId: weak }));
    await expect(store.get('a')).rejects.toMatchObject(CORRUPT);
  });
});

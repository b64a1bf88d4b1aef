import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '@mcp-fittings/client-core/files';
import type { EntryDirectory } from '../files/entry-files.js';
import { storeError } from '../store-error.js';
import { parseValue } from '../value-text.js';
import { KEY_BYTES, type EncryptionKey, type KeySource } from './encryption-key.js';

/**
 * RFC 7914 with the cost that OWASP asks for: about a second and 128 MB. The id says it, and no other cost is
 * accepted, so that whoever can write to the directory can not weaken the key.
 */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 } as const;
const ID = /^scrypt-17-8-1:([\w-]{22})$/;
const SALT_BYTES = 16;
const FILE = 'passphrase.json';

interface Verifier {
  readonly id: string;
  readonly check: string;
}

/**
 * Keys made of one passphrase. The directory keeps the salt for what is written, and a value by which a wrong
 * passphrase is recognised as such; each salt costs one derivation a store.
 */
export function passphraseKeys(
  ask: () => string | Promise<string>,
  { path, locks }: EntryDirectory,
): KeySource {
  const derived = new Map<string, Promise<EncryptionKey>>();

  const keyOf = (id: string): Promise<EncryptionKey> => {
    const known = derived.get(id);
    if (known !== undefined) return known;
    const key = derive(id);
    derived.set(id, key);
    // The next caller may type it right.
    key.catch(() => derived.delete(id));
    return key;
  };

  const derive = async (id: string): Promise<EncryptionKey> => {
    const [, salt] = ID.exec(id) ?? [];
    if (salt === undefined)
      throw storeError('STORE_CORRUPT', 'A credential was not sealed with a passphrase.');
    const passphrase = await ask();
    if (typeof passphrase !== 'string' || passphrase === '') {
      throw storeError('STORE_LOCKED', 'No passphrase was given.');
    }
    const key = { id, bytes: await stretch(passphrase, Buffer.from(salt, 'base64url')) };
    const verifier = await readVerifier(path);
    if (verifier?.id === id && !fits(verifier, key)) {
      throw storeError('STORE_LOCKED', 'The passphrase is wrong.', { hint: 'Try again.' });
    }
    return key;
  };

  const current = async (): Promise<EncryptionKey> => {
    const verifier = await readVerifier(path);
    if (verifier !== undefined) return keyOf(verifier.id);
    return locks.run(FILE, async () => {
      const other = await readVerifier(path);
      if (other !== undefined) return keyOf(other.id);
      const key = await keyOf(`scrypt-17-8-1:${randomBytes(SALT_BYTES).toString('base64url')}`);
      const made: Verifier = { id: key.id, check: checkOf(key).toString('base64url') };
      await writePrivateFile(path, FILE, `${JSON.stringify(made)}\n`);
      return key;
    });
  };

  return (id) => (id === undefined ? current() : keyOf(id));
}

async function readVerifier(path: string): Promise<Verifier | undefined> {
  const text = await readPrivateFile(join(path, FILE));
  if (text === undefined) return undefined;
  const { id, check } = parseValue(text) ?? {};
  if (typeof id === 'string' && ID.test(id) && typeof check === 'string') return { id, check };
  throw storeError('STORE_CORRUPT', `${join(path, FILE)} is not what was written.`, {
    hint: 'Remove it and sign in again.',
  });
}

function fits(verifier: Verifier, key: EncryptionKey): boolean {
  const expected = checkOf(key);
  const found = Buffer.from(verifier.check, 'base64url');
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function checkOf(key: EncryptionKey): Buffer {
  return createHmac('sha256', key.bytes).update('mcp-fittings passphrase check').digest();
}

function stretch(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC: the same letters typed on another system are the same passphrase.
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}

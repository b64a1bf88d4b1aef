import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '@mcp-fittings/toolbox/files';
import {
  type EncryptionKey,
  KEY_BYTES,
  type KeySource,
  parseValue,
  storeError,
} from '@mcp-fittings/toolbox/stores';
import type { EntryDirectory } from './entry-files.js';

/**
 * RFC 7914 with the cost that OWASP recommends: about a second and 128 MB. It is part of the key id, and no other cost is
 * accepted, so that an attacker who can write to the directory cannot weaken the key.
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
 * Derives keys from one passphrase. The directory keeps the salt for new writes, and a value that reveals a wrong
 * passphrase; each salt costs one derivation per store.
 */
export function passphraseKeys(
  ask: () => string | Promise<string>,
  { path, locks }: EntryDirectory,
): KeySource {
  const derived = new Map<string, Promise<EncryptionKey>>();

  const keyFor = (id: string): Promise<EncryptionKey> => {
    const known = derived.get(id);
    if (known !== undefined) return known;
    const key = derive(id);
    derived.set(id, key);
    // The user may type it correctly the next time.
    key.catch(() => derived.delete(id));
    return key;
  };

  const derive = async (id: string): Promise<EncryptionKey> => {
    const [, salt] = ID.exec(id) ?? [];
    if (salt === undefined)
      throw storeError('STORE_CORRUPT', 'A stored credential was not encrypted with a passphrase.', {
        hint: 'Open the store with the `key` that it was written with, or sign in again.',
      });
    const passphrase = await ask();
    if (typeof passphrase !== 'string' || passphrase === '') {
      throw storeError('STORE_LOCKED', 'The passphrase of the credential store is empty.');
    }
    const key = { id, bytes: await deriveBytes(passphrase, Buffer.from(salt, 'base64url')) };
    const verifier = await readVerifier(path);
    if (verifier?.id === id && !matches(verifier, key)) {
      throw storeError('STORE_LOCKED', 'The passphrase of the credential store is incorrect.', {
        hint: 'Enter it again.',
      });
    }
    return key;
  };

  const current = async (): Promise<EncryptionKey> => {
    const verifier = await readVerifier(path);
    if (verifier !== undefined) return keyFor(verifier.id);
    return locks.run(FILE, async () => {
      const other = await readVerifier(path);
      if (other !== undefined) return keyFor(other.id);
      const key = await keyFor(`scrypt-17-8-1:${randomBytes(SALT_BYTES).toString('base64url')}`);
      const verifierFile: Verifier = { id: key.id, check: verifierFor(key).toString('base64url') };
      await writePrivateFile(path, FILE, `${JSON.stringify(verifierFile)}\n`);
      return key;
    });
  };

  return (id) => (id === undefined ? current() : keyFor(id));
}

async function readVerifier(path: string): Promise<Verifier | undefined> {
  const text = await readPrivateFile(join(path, FILE));
  if (text === undefined) return undefined;
  const { id, check } = parseValue(text) ?? {};
  if (typeof id === 'string' && ID.test(id) && typeof check === 'string') return { id, check };
  throw storeError('STORE_CORRUPT', `The file ${join(path, FILE)} is damaged or was edited.`, {
    hint: 'Delete the file and sign in again.',
  });
}

function matches(verifier: Verifier, key: EncryptionKey): boolean {
  const expected = verifierFor(key);
  const found = Buffer.from(verifier.check, 'base64url');
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function verifierFor(key: EncryptionKey): Buffer {
  return createHmac('sha256', key.bytes).update('mcp-fittings passphrase check').digest();
}

function deriveBytes(passphrase: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // NFKC: the same characters typed on another system are the same passphrase.
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, COST, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}

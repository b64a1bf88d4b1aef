import { systemClock, type Clock, type TokenStore } from '@mcp-fittings/client-core/auth';
import { keyFrom, type KeySource } from './encryption/encryption-key.js';
import { passphraseKeys } from './encryption/passphrase-keys.js';
import { seal, unseal } from './encryption/sealed-text.js';
import { entryFiles } from './files/entry-files.js';
import type { LockTimes } from './locks/lock-times.js';
import { storeError } from './store-error.js';
import { textOfValue, valueOfText } from './value-text.js';

interface CommonOptions {
  /** Directory of the store, made when it is missing, mode 0700; each entry is a file in it, mode 0600. */
  readonly path: string;
  readonly lock?: LockTimes | undefined;
  readonly clock?: Clock | undefined;
}

interface KeyOptions extends CommonOptions {
  readonly key: KeySource;
  readonly passphrase?: undefined;
}

interface PassphraseOptions extends CommonOptions {
  /** Asks for the passphrase, once a process; the key is derived with scrypt, which takes a second. */
  readonly passphrase: () => string | Promise<string>;
  readonly key?: undefined;
}

export type EncryptedFileStoreOptions = KeyOptions | PassphraseOptions;

/**
 * A {@link TokenStore} of files that are encrypted with AES-256-GCM (NIST SP 800-38D); each is bound to its entry and
 * its key. What it can't know: whether an older file of the same entry was put back.
 *
 * Rejects with STORE_LOCKED without the right key or passphrase, STORE_CORRUPT where a file was changed,
 * STORE_INSECURE where others can get at the files, STORE_VALUE_INVALID, STORE_BUSY, STORE_LOCK_LOST,
 * CALLBACK_FAILED, STORE_UNAVAILABLE.
 */
export function encryptedFileStore(options: EncryptedFileStoreOptions): TokenStore {
  const { path, lock, clock = systemClock } = options;
  return entryFiles({
    path,
    lock,
    clock,
    format(directory) {
      const keys = options.key ?? passphraseKeys(options.passphrase, directory);
      return {
        suffix: '.sealed',
        async encode(key, value) {
          const text = textOfValue(value);
          return `${seal(key, text, await keyFrom(keys))}\n`;
        },
        async decode(key, text) {
          const value = valueOfText(await unseal(key, text, keys));
          if (value === undefined)
            throw storeError('STORE_CORRUPT', 'A stored credential is no JSON object.');
          return value;
        },
      };
    },
  });
}

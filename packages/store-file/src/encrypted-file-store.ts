import type { TokenStore } from '@mcp-fittings/client-core';
import {
  type KeySource,
  parseValue,
  resolveKey,
  seal,
  serializeValue,
  storeError,
  unseal,
} from '@mcp-fittings/toolbox/stores';
import { passphraseKeys } from './passphrase-keys.js';
import { entryFiles, type StoreDirectoryOptions } from './entry-files.js';

/** Options of {@link encryptedFileStore}: either `key` or `passphrase`. */
export type EncryptedFileStoreOptions = StoreDirectoryOptions &
  (
    | {
        /** Provides the key to encrypt with, and older keys by their id. */
        readonly key: KeySource;
        readonly passphrase?: undefined;
      }
    | {
        /**
         * Asks the user for the passphrase, once per process. The key is derived from it with scrypt (N = 2^17), which
         * takes about a second.
         */
        readonly passphrase: () => string | Promise<string>;
        readonly key?: undefined;
      }
  );

/**
 * Creates a {@link TokenStore} of files that are encrypted with AES-256-GCM (NIST SP 800-38D). Each file is bound to its
 * entry and its key. The store cannot detect that an older file of the same entry was restored.
 *
 * Throws `CONFIG_INVALID` without a path. Its methods reject with `STORE_LOCKED` without the right key or passphrase,
 * `STORE_CORRUPT` when a file was changed, `STORE_INSECURE` when other users could read or replace the files,
 * `STORE_VALUE_INVALID`, `STORE_BUSY`, `STORE_LOCK_LOST`, `STORE_UNAVAILABLE`, `CONFIG_INVALID` for a key that is not
 * 32 bytes long, and `CALLBACK_FAILED` when `key` throws.
 * @example
 * const store = encryptedFileStore({
 *   path: join(homedir(), '.local', 'state', 'my-agent', 'credentials'),
 *   passphrase: () => promptForPassphrase(),
 * });
 */
export function encryptedFileStore(options: EncryptedFileStoreOptions): TokenStore {
  return entryFiles(options, (directory) => {
    const keys = options.key ?? passphraseKeys(options.passphrase, directory);
    return {
      suffix: '.sealed',
      async encode(key, value) {
        const text = serializeValue(value);
        return `${seal(key, text, await resolveKey(keys))}\n`;
      },
      async decode(key, text) {
        const value = parseValue(await unseal(key, text, keys));
        if (value === undefined)
          throw storeError('STORE_CORRUPT', 'A decrypted credential is not a JSON object.', {
            hint: 'Sign in again to replace it.',
          });
        return value;
      },
    };
  });
}

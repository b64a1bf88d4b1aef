import { isRecord, systemClock, type Clock } from '@mcp-fittings/client-core';
import type { StoredValue, TokenStore } from '@mcp-fittings/client-core/auth';
import { createConsent, type ConsentQuestion } from './files/plaintext-consent.js';
import { entryFiles } from './files/entry-files.js';
import type { LockTimes } from './locks/lock-times.js';
import { storeError } from './store-error.js';
import { textOfValue, valueOfText } from './value-text.js';

export interface FileStoreOptions {
  /** Directory of the store, made when it is missing, mode 0700; each entry is a file in it, mode 0600. */
  readonly path: string;
  /**
   * Asks the person whether credentials may lie on the disk unencrypted. Called at the first write of a directory
   * that has no recorded answer; `true` is recorded in it. Without it, and with any other answer, nothing is written.
   * Never answer it from an environment variable or a project's file.
   */
  readonly consent?: ((question: ConsentQuestion) => boolean | Promise<boolean>) | undefined;
  readonly lock?: LockTimes | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * A {@link TokenStore} of plain text in files that only this user can read. Prefer a keychain or an encrypted file:
 * every program that runs as this user can read these.
 *
 * Rejects with POLICY_DENIED without consent, STORE_INSECURE where others can get at the files, STORE_CORRUPT,
 * STORE_VALUE_INVALID, STORE_BUSY, STORE_LOCK_LOST, STORE_UNAVAILABLE.
 */
export function fileStore(options: FileStoreOptions): TokenStore {
  const { path, consent: ask, lock, clock = systemClock } = options;
  return entryFiles({
    path,
    lock,
    clock,
    format(directory) {
      const consent = createConsent({ directory, ask, clock });
      return {
        suffix: '.json',
        async encode(key, value) {
          const text = textOfValue(value);
          await consent.assertGiven();
          return `{"v":1,"key":${JSON.stringify(key)},"value":${text}}\n`;
        },
        decode: async (key, text) => decodePlain(key, text),
      };
    },
  });
}

function decodePlain(key: string, text: string): StoredValue {
  const envelope = valueOfText(text);
  const value = envelope?.['value'];
  if (envelope?.['v'] === 1 && envelope['key'] === key && isRecord(value)) return value;
  throw storeError('STORE_CORRUPT', 'The file of a stored credential is not what was written.', {
    hint: 'Sign in again: that replaces it.',
  });
}

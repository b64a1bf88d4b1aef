import { createHash } from 'node:crypto';
import {
  isRecord,
  systemClock,
  type Clock,
  type StoredValue,
  type TokenStore,
} from '@mcp-fittings/client-core/auth';
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
          const rest = `"key":${JSON.stringify(key)},"value":${text}`;
          return `{"v":2,"sum":"${sumOf(rest)}",${rest}}\n`;
        },
        decode: async (key, text) => decodePlain(key, text),
      };
    },
  });
}

/** Each byte of a file is in this frame or below the sum. */
const FRAME = /^\{"v":2,"sum":"([\w-]{43})",(.*)\}\n$/s;
/** As version 0.1.0 wrote it, without a sum; the next write of the entry adds one. */
const FRAME_WITHOUT_SUM = /^\{"v":1,"key":/;

function decodePlain(key: string, text: string): StoredValue {
  const [, sum, rest] = FRAME.exec(text) ?? [];
  const isWhole = rest === undefined ? FRAME_WITHOUT_SUM.test(text) : sumOf(rest) === sum;
  const envelope = isWhole ? valueOfText(text) : undefined;
  const value = envelope?.['value'];
  if (envelope?.['key'] === key && isRecord(value)) return value;
  throw storeError('STORE_CORRUPT', 'The file of a stored credential is not what was written.', {
    hint: 'Sign in again: that replaces it.',
  });
}

/** Against a disk that forgets, not against a person who can write to the file. */
function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

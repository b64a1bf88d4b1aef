import type { StoredValue, TokenStore } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { parseValue, serializeValue, storeError } from '@mcp-fittings/toolbox/stores';
import { hashText } from '@mcp-fittings/toolbox/text';
import { entryFiles, type StoreDirectoryOptions } from './entry-files.js';
import { createConsent, type ConsentQuestion } from './plaintext-consent.js';

/** Options of {@link fileStore}. */
export interface FileStoreOptions extends StoreDirectoryOptions {
  /**
   * Asks the user whether credentials may be written to the disk unencrypted. Called at the first write to a directory
   * that has no recorded answer. Only `true` counts, and it is recorded in the directory. Default: refuse every write
   * with `POLICY_DENIED`. Never answer from an environment variable or a file of a project.
   */
  readonly consent?: ((question: ConsentQuestion) => boolean | Promise<boolean>) | undefined;
}

/**
 * Creates a {@link TokenStore} of plain text in files that only this user can read (mode 0600). Prefer a keychain or
 * `encryptedFileStore`: every program that runs as this user can read these files.
 *
 * Throws `CONFIG_INVALID` without a path. Its methods reject with `POLICY_DENIED` without consent, `STORE_INSECURE` when
 * other users could read or replace the files, `STORE_CORRUPT`, `STORE_VALUE_INVALID`, `STORE_BUSY`, `STORE_LOCK_LOST`,
 * `STORE_UNAVAILABLE`, and `CALLBACK_FAILED` when `consent` throws.
 * @example
 * const store = fileStore({
 *   path: join(homedir(), '.local', 'state', 'my-agent', 'credentials'),
 *   consent: ({ path }) => confirm(`Store credentials unencrypted in ${path}?`),
 * });
 */
export function fileStore(options: FileStoreOptions): TokenStore {
  const { consent: ask, clock = systemClock } = options;
  return entryFiles(options, (directory) => {
    const consent = createConsent({ directory, ask, clock });
    return {
      suffix: '.json',
      async encode(key, value) {
        const text = serializeValue(value);
        await consent.assertGiven();
        const rest = `"key":${JSON.stringify(key)},"value":${text}`;
        return `{"v":2,"sum":"${hashText(rest)}",${rest}}\n`;
      },
      decode: async (key, text) => decodePlain(key, text),
    };
  });
}

/**
 * Each byte of a file is either part of this frame or covered by the checksum, which detects a damaged disk. It does not protect against a
 * person who can write to the file.
 */
const FRAME = /^\{"v":2,"sum":"([\w-]{43})",(.*)\}\n$/s;

function decodePlain(key: string, text: string): StoredValue {
  const [, sum, rest] = FRAME.exec(text) ?? [];
  const envelope = rest !== undefined && hashText(rest) === sum ? parseValue(text) : undefined;
  const value = envelope?.['value'];
  if (envelope?.['key'] === key && isRecord(value)) return value;
  throw storeError('STORE_CORRUPT', 'The file of a stored credential is damaged or was edited.', {
    hint: 'Sign in again to replace it.',
  });
}

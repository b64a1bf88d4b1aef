import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FittingsError, StoredValue } from '@mcp-fittings/client-core';
import {
  ensurePrivateDirectory,
  readPrivateFileSync,
  removePrivateFile,
  writePrivateFile,
} from '@mcp-fittings/toolbox/files';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { asStoreError, entryName, storeError } from '@mcp-fittings/toolbox/stores';
import { entryDirectory, type StoreDirectoryOptions } from './entry-files.js';

/** Options of {@link fileRecords}. */
export interface FileRecordsOptions extends StoreDirectoryOptions {
  /** Largest record that is read or written, in bytes of JSON. Default 33 554 432 (32 MiB). */
  readonly maxBytes?: number | undefined;
}

/** A record with its key. */
export interface FileRecord {
  /** The key with which it was written. */
  readonly key: string;
  /** The record as it was written: plain JSON. */
  readonly value: StoredValue;
}

/**
 * Records that are not secret, such as pins of tools: plain JSON in files that only this user can read and write, shared by several
 * processes. It is a `ToolPinStore` of `@mcp-fittings/tools/pins`.
 */
export interface FileRecords {
  /**
   * Returns the record of a key, or undefined; the same object as long as the file is the same. Throws `STORE_CORRUPT`,
   * `STORE_INSECURE` or `STORE_UNAVAILABLE`.
   */
  read(key: string): StoredValue | undefined;
  /**
   * Replaces a record atomically by what `edit` makes of it; undefined keeps it as it is. Processes take turns, so that no change
   * is lost. Rejects as `read` throws, and with `STORE_VALUE_INVALID`, `STORE_BUSY` or `STORE_LOCK_LOST`.
   */
  change(key: string, edit: (before: StoredValue | undefined) => StoredValue | undefined): Promise<void>;
  /** Removes a record, also one that cannot be read. */
  remove(key: string): Promise<void>;
  /** Resolves with all records that can be read. */
  list(): Promise<readonly FileRecord[]>;
}

const MAX_BYTES = 32 * 1024 * 1024;
const SUFFIX = '.json';

/**
 * Opens a directory of records, and creates it with mode 0700 if it is missing. Rejects with `CONFIG_INVALID` without a path,
 * `STORE_INSECURE` if other users could read or replace the files, and `STORE_UNAVAILABLE`.
 * @example
 * const store = await fileRecords({ path: join(homedir(), '.local', 'state', 'my-agent', 'pins') });
 * const pins = createToolPins({ store });
 */
export async function fileRecords(options: FileRecordsOptions): Promise<FileRecords> {
  const { maxBytes = MAX_BYTES } = options;
  const { path, locks } = entryDirectory(options);
  try {
    await ensurePrivateDirectory(path);
  } catch (error) {
    throw asRecordError(error, `Could not open ${path}.`);
  }
  const known = new Map<string, { readonly mark: string; readonly value: StoredValue }>();
  const nameOf = (key: string): string => `${entryName(key)}${SUFFIX}`;

  const read = (key: string): StoredValue | undefined => {
    const file = join(path, nameOf(key));
    try {
      const mark = markOf(file);
      if (mark === undefined) {
        known.delete(key);
        return undefined;
      }
      const before = known.get(key);
      if (before?.mark === mark) return before.value;
      const text = readPrivateFileSync(file, maxBytes);
      if (text === undefined) return undefined;
      const record = decode(text);
      if (record?.key !== key) {
        throw storeError('STORE_CORRUPT', `The file ${file} is damaged or was edited.`, {
          details: { path: file },
          hint: 'Delete the file.',
        });
      }
      known.set(key, { mark, value: record.value });
      return record.value;
    } catch (error) {
      throw asRecordError(error, `Could not read ${file}.`);
    }
  };

  return {
    read,
    change: (key, edit) =>
      locks.run(key, async () => {
        const after = edit(read(key));
        if (after === undefined) return;
        const text = `${JSON.stringify({ v: 1, key, value: after })}\n`;
        const bytes = Buffer.byteLength(text);
        if (bytes > maxBytes) {
          throw storeError(
            'STORE_VALUE_INVALID',
            `The record is ${bytes} bytes of JSON; the limit is ${maxBytes}.`,
            {
              details: { bytes, maxBytes },
            },
          );
        }
        try {
          await writePrivateFile(path, nameOf(key), text, { beforeCommit: () => locks.assertNotLost(key) });
          const mark = markOf(join(path, nameOf(key)));
          if (mark !== undefined) known.set(key, { mark, value: after });
        } catch (error) {
          throw asRecordError(error, `Could not write to ${path}.`);
        }
      }),
    remove: (key) =>
      locks.run(key, async () => {
        try {
          await removePrivateFile(path, nameOf(key));
        } catch (error) {
          throw asRecordError(error, `Could not delete a record from ${path}.`);
        }
      }),
    async list() {
      try {
        const files = (await readdir(path)).filter((file) => file.endsWith(SUFFIX)).toSorted();
        return files.flatMap((file) => readable(join(path, file), maxBytes) ?? []);
      } catch (error) {
        throw asRecordError(error, `Could not list ${path}.`);
      }
    },
  };
}

/** The checks of private files speak of credentials. */
function asRecordError(cause: unknown, message: string): FittingsError {
  const error = asStoreError(cause, message);
  if (error.code !== 'STORE_INSECURE') return error;
  return storeError('STORE_INSECURE', error.message, {
    cause,
    details: error.details,
    hint: 'Let only your user access it. Other users may have changed what is in it: check it, or delete it.',
  });
}

/** Returns a mark that differs whenever the file does: it is replaced as a whole, so that it is another file. */
function markOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return (
    stats && [stats.dev, stats.ino, stats.size, stats.mode, stats.uid, stats.mtimeNs, stats.ctimeNs].join(' ')
  );
}

function readable(file: string, maxBytes: number): FileRecord | undefined {
  try {
    return decode(readPrivateFileSync(file, maxBytes) ?? '');
  } catch {
    return undefined;
  }
}

function decode(text: string): FileRecord | undefined {
  try {
    const envelope: unknown = JSON.parse(text);
    if (!isRecord(envelope) || envelope['v'] !== 1) return undefined;
    const { key, value } = envelope;
    return typeof key === 'string' && isRecord(value) ? { key, value } : undefined;
  } catch {
    return undefined;
  }
}

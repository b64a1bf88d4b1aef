import { constants } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors/system-errors.js';
import { renameFile } from './rename-file.js';

/** Options of {@link replaceFile}. */
export interface ReplaceOptions {
  /** Mode of a file that does not exist yet. Default 0600. */
  readonly mode?: number | undefined;
  /**
   * Called when the new text is on the disk and the old file still in place, right before each try to rename one over the other.
   * Throw or reject to keep the old file. Default none.
   */
  readonly beforeCommit?: (() => void | Promise<void>) | undefined;
}

/** Suffix for the name of a file that is not complete. A killed process leaves it behind. */
export const DRAFT = '.draft';

// Windows does not have the last; `undefined` counts as 0 there.
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Replaces the content of a file atomically, and flushes it: the old or the new text is there, even if the disk becomes full or
 * the machine crashes. Keeps the mode and owner of an existing file. On Windows it waits up to 60 s while another program has
 * the file open, and then rejects with a system error of the code `EBUSY`.
 *
 * `write-file-atomic` is not used because it treats a short write as success, so that a full disk truncates the file, and because
 * its temporary names can be guessed.
 */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o600, beforeCommit }: ReplaceOptions = {},
): Promise<void> {
  const present = await stat(path).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const draft = `${path}.${crypto.randomUUID()}${DRAFT}`;
  const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.chmod((present?.mode ?? mode) & 0o777);
      // Only root can change the owner; for other users the owner is already correct.
      if (present !== undefined && process.getuid?.() === 0) await handle.chown(present.uid, present.gid);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameFile(draft, path, beforeCommit);
  } catch (error) {
    await unlink(draft).catch(() => undefined);
    throw error;
  }
  await flushDirectory(dirname(path));
}

/** Flushes a directory, so that its entries survive a crash, where the system can: Windows does so by itself. */
export async function flushDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // The files themselves have been written.
  }
}

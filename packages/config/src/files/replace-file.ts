import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces the content of a file atomically, even if the disk becomes full or the machine crashes. Keeps the mode and owner
 * of an existing file; a new one gets `mode`. `write-file-atomic` is not used because it treats a short write as success,
 * so that a full disk truncates the file, and because its temporary names can be guessed.
 *
 * `check` runs synchronously right before the new file is renamed over the old one. If it throws, the old file stays.
 */
export async function replaceFile(
  path: string,
  text: string,
  mode: number,
  check: () => void = () => undefined,
): Promise<void> {
  const present = await stat(path).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  const temporary = `${path}.${randomUUID()}.tmp`;
  // `wx` fails if a file or link with this name already exists.
  const handle = await open(temporary, 'wx', 0o600);
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
    check();
    renameSync(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Flushes the rename to disk, if the system supports it. */
async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows cannot open a directory. The file itself has been written.
  }
}

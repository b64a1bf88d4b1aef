import { randomUUID } from 'node:crypto';
import { renameSync } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Puts a text in the place of a file: whole or not at all, also when the disk is full or the machine stops. Keeps mode
 * and owner of the file that is there; a new one gets `mode`. Why not `write-file-atomic`: it writes once and takes
 * a short write for success, so a full disk leaves half a file; and its temporary names can be guessed.
 *
 * `check` runs right before the new file takes the place of the old one, with nothing of this process in between; when it
 * throws, the old file stays.
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
  // `wx`: never a file or a link that somebody put there before.
  const handle = await open(temporary, 'wx', 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.chmod((present?.mode ?? mode) & 0o777);
      // Only root may give a file away; for anybody else the owner is right already.
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

/** Makes the new name survive a power cut, where the system can. */
async function syncDirectory(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    // Windows can't open a directory; the file itself is written all the same.
  }
}

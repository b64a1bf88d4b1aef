import { renameSync, statSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { Clock } from '@mcp-fittings/client-core';
import { systemErrorCode } from '../errors/system-errors.js';
import { sleep, systemClock } from '../timing/waits.js';

/**
 * Renames a file, and replaces one that has the new name. `check` runs before each try, and the rename follows it in the same turn
 * of the event loop; if it throws, nothing is renamed. On Windows it waits, as {@link whenReleased} says.
 */
export async function renameFile(
  from: string,
  to: string,
  check: () => void | Promise<void> = () => undefined,
): Promise<void> {
  await whenReleased(to, async () => {
    await check();
    renameSync(from, to);
  });
}

/** Removes a file, if it exists. On Windows it waits, as {@link whenReleased} says. */
export async function removeFile(path: string): Promise<void> {
  try {
    await whenReleased(path, () => unlink(path));
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}

/** The times of graceful-fs, in milliseconds: a virus scanner may take that long. */
const PATIENCE_MS = 60_000;
const PAUSE_STEP_MS = 10;
const LONGEST_PAUSE_MS = 100;
const HELD_OPEN = new Set<string | undefined>(['EPERM', 'EACCES', 'EBUSY']);

/**
 * Does what changes a file. Windows refuses that while another program has the file open, for instance a virus scanner, an
 * indexer or an editor: there it is tried again for 60 s, and then rejects with a system error of the code `EBUSY`. What no
 * waiting helps (a file that is marked read-only, a directory) rejects at once, as on other systems.
 */
export async function whenReleased(
  path: string,
  act: () => Promise<void>,
  {
    clock = systemClock,
    platform = process.platform,
  }: { readonly clock?: Clock; readonly platform?: NodeJS.Platform } = {},
): Promise<void> {
  const start = clock.now();
  for (let pause = PAUSE_STEP_MS; ; pause = Math.min(pause + PAUSE_STEP_MS, LONGEST_PAUSE_MS)) {
    try {
      return await act();
    } catch (error) {
      if (platform !== 'win32' || !HELD_OPEN.has(systemErrorCode(error)) || refusesForGood(path)) throw error;
      if (clock.now() - start >= PATIENCE_MS) throw heldOpen(path, error);
    }
    await sleep(pause, { clock });
  }
}

const WRITABLE = 0o222;

function refusesForGood(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.isDirectory() || (stats.mode & WRITABLE) === 0);
  } catch {
    // Windows does not even let it be looked at, as while it is being deleted.
    return false;
  }
}

function heldOpen(path: string, cause: unknown): Error {
  const message = `Another program has had ${path} open for ${PATIENCE_MS / 1000} s.`;
  return Object.assign(new Error(message, { cause }), { code: 'EBUSY' });
}

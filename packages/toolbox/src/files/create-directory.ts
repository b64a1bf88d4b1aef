import { promises } from 'node:fs';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors/system-errors.js';

/**
 * Creates a directory and those above it that are missing. `mkdir` of Node.js with `recursive` does the same, but tries again without
 * end where the system creates nothing, as in `/proc`. Rejects with the error of the system.
 */
export async function createDirectory(path: string, mode: number): Promise<void> {
  const create = async (): Promise<void> => {
    try {
      await promises.mkdir(path, { mode });
    } catch (error) {
      const found = await promises.stat(path).catch(() => undefined);
      if (found?.isDirectory() !== true) throw error;
    }
  };
  try {
    await create();
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await createDirectory(dirname(path), mode);
    await create();
  }
}

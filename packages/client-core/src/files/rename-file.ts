import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { systemCodeOf } from './system-code.js';

const TRIES = 10;
const PAUSE_MS = 20;
const HELD_OPEN = new Set<string | undefined>(['EPERM', 'EACCES', 'EBUSY']);

/** `rename`, patient with Windows, where a file that a reader or a virus scanner has open can't be moved just now. */
export async function renameFile(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await rename(from, to);
    } catch (error) {
      if (process.platform !== 'win32' || tries === TRIES || !HELD_OPEN.has(systemCodeOf(error))) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Where scripts keep what they make once for each state of the sources: a folder inside of `node_modules`, from where packages are found. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

export const CACHE = join(import.meta.dirname, '../node_modules/.cache/mcp-fittings');
/** What no process has asked for that long is removed. */
const OLD_MS = 24 * 60 * 60 * 1000;

/** @returns a new folder in it, which no other process uses, after old ones were removed. */
export function freshFolder() {
  mkdirSync(CACHE, { recursive: true });
  sweep();
  return mkdtempSync(join(CACHE, 'fresh-'));
}

/** Whether it is there; it will be for a day from now. */
export function isKept(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function sweep() {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    // Another process may have swept or renamed it meanwhile.
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true });
  }
}

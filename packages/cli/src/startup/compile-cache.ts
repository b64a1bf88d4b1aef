import { mkdirSync } from 'node:fs';
import { Module } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { checkPrivateDirectory } from '@mcp-fittings/toolbox/files';

/** Returns where this program keeps in a home directory what it can do without. */
export function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
}

/**
 * Lets Node.js, 22.1 or newer, keep the code that it compiles from here on for the next run. Compiled code runs as it is
 * found, so it lies in the account's own home directory, whatever `HOME` says, in a folder that only its owner can read and
 * write. Without such a folder, nothing is kept.
 */
export async function keepCompiledCode(): Promise<void> {
  try {
    const compiled = join(cacheFolder(userInfo().homedir), 'compiled');
    mkdirSync(compiled, { recursive: true, mode: 0o700 });
    await checkPrivateDirectory(compiled);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types are those of Node.js 20, which does not have it
    (Module as unknown as { enableCompileCache: (folder: string) => unknown }).enableCompileCache(compiled);
  } catch {
    // The program runs without it: the account has no home directory, or none that it can write to.
  }
}

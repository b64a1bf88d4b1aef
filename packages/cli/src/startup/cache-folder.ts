import { existsSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Returns where this program keeps in a home directory what it can do without. */
export function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
}

/** Removes what earlier versions kept in the account's own home directory: code that they compiled, and calls to make again. */
export function removeOldCaches(): void {
  try {
    const home = userInfo().homedir;
    for (const path of [join(home, '.cache', 'mcp-fittings', 'code'), join(cacheFolder(home), 'calls')])
      if (existsSync(path)) rmSync(path, { recursive: true, force: true });
  } catch {
    // Nothing reads it any more.
  }
}

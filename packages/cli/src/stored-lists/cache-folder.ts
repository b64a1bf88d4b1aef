import { join } from 'node:path';

/** Returns where this program keeps in a home directory what it can do without. */
export function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
}

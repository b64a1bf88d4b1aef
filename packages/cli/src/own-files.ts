import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(`${import.meta.dirname}/../package.json`, 'utf8');
  const manifest: unknown = JSON.parse(text);
  const isManifest = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isManifest ? String(manifest.version) : '';
}

/** Returns where this program keeps in a home directory what it can do without. */
export function cacheFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'mcp-fittings');
  if (process.platform === 'win32') return join(home, 'AppData', 'Local', 'mcp-fittings');
  return join(home, '.cache', 'mcp-fittings');
}

import { join } from 'node:path';

/** The folders on Windows and macOS, where those for `config` and `state` are one, and elsewhere. */
const FOLDERS = {
  config: { win32: 'AppData/Local', darwin: 'Library/Application Support', others: '.config' },
  state: { win32: 'AppData/Local', darwin: 'Library/Application Support', others: '.local/state' },
  cache: { win32: 'AppData/Local', darwin: 'Library/Caches', others: '.cache' },
} as const;

/**
 * Returns the folder in a home directory where programs of MCP Fittings keep what the user decided (`config`), what they know (`state`), or what
 * they can do without (`cache`). No environment variable changes it, because a project's `.env` could set one, and because programs that share
 * a keychain have to share its locks.
 */
export function ownFolder(
  kind: 'config' | 'state' | 'cache',
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const key = platform === 'win32' || platform === 'darwin' ? platform : 'others';
  return join(home, FOLDERS[kind][key], 'mcp-fittings');
}

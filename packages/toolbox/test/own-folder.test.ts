import { join } from 'node:path';
import { ownFolder } from '@mcp-fittings/toolbox/files';
import { expect, it } from 'vitest';

it.each([
  ['config', 'linux', '.config'],
  ['state', 'linux', '.local/state'],
  ['cache', 'freebsd', '.cache'],
  ['config', 'darwin', 'Library/Application Support'],
  ['state', 'darwin', 'Library/Application Support'],
  ['cache', 'darwin', 'Library/Caches'],
  ['config', 'win32', 'AppData/Local'],
  ['state', 'win32', 'AppData/Local'],
  ['cache', 'win32', 'AppData/Local'],
] as const)('the folder for %s on %s', (kind, platform, folder) =>
  expect(ownFolder(kind, '/home/ada', platform)).toBe(join('/home/ada', folder, 'mcp-fittings')),
);

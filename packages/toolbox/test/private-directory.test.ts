import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePrivateDirectory } from '@mcp-fittings/toolbox/files';

const isWindows = process.platform === 'win32';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-directory-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a private directory', () => {
  it('is created with those above it, and may exist', async () => {
    const path = join(folder, 'a/b');
    await ensurePrivateDirectory(path);
    await ensurePrivateDirectory(path);
    // Windows has no modes.
    if (!isWindows) expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  // Node.js tries again without end there, and cannot be interrupted.
  it.runIf(process.platform === 'linux')('is refused where the system creates nothing', async () => {
    await expect(ensurePrivateDirectory('/proc/a/b')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  // Windows creates what a link names.
  it.skipIf(isWindows)('is refused below a link that leads nowhere', async () => {
    await symlink(join(folder, 'nowhere'), join(folder, 'link'));
    await expect(ensurePrivateDirectory(join(folder, 'link', 'a'))).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is refused where a file is in the way, with what is wrong', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(ensurePrivateDirectory(file)).rejects.toMatchObject({
      code: 'STORE_INSECURE',
      message: `${file} is not a directory.`,
    });
    await expect(ensurePrivateDirectory(join(file, 'below'))).rejects.toMatchObject({
      code: isWindows ? 'EEXIST' : 'ENOTDIR',
    });
  });
});

import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientToken } from '../src/bridge/client-token.js';

const TOKEN = 'k3yX'.repeat(10);
let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fittings-token-'));
});
afterAll(() => rm(root, { recursive: true }));

let last = 0;
async function file(text: string, { mode = 0o600, folder = 0o700 } = {}): Promise<string> {
  const path = join(root, String(++last));
  await mkdir(path);
  await writeFile(join(path, 'token'), text);
  await chmod(join(path, 'token'), mode);
  await chmod(path, folder);
  return join(path, 'token');
}

async function read({ file, variable }: { file?: string; variable?: string }): Promise<string | undefined> {
  const { value, isNew } = await clientToken(file, variable);
  return isNew ? undefined : value;
}

describe('the token of clients', () => {
  it.each([
    ['as it is', TOKEN],
    ['with a line end', `${TOKEN}\n`],
    ['with a line end of Windows and a byte order mark', `\uFEFF${TOKEN}\r\n`],
  ])('is read from a private file, %s', async (_how, text) => {
    expect(await read({ file: await file(text) })).toBe(TOKEN);
  });

  it.each([
    ['that everyone can change', { mode: 0o666 }],
    ['that everyone can read', { mode: 0o644 }],
    ['that a group can read', { mode: 0o640 }],
    ['in a folder that everyone can change', { folder: 0o777 }],
    ['in a folder that a group can change', { folder: 0o770 }],
  ])('is not read from a file %s', async (_which, modes) => {
    await expect(read({ file: await file(TOKEN, modes) })).rejects.toMatchObject({
      code: 'STORE_INSECURE',
      hint: expect.stringContaining('chmod'),
    });
  });

  it('is not read from below a folder that everyone can change, through a link, or from a folder', async () => {
    const path = await file(TOKEN, { folder: 0o777 });
    const inner = join(path, '..', 'inner');
    await mkdir(inner, { mode: 0o700 });
    await writeFile(join(inner, 'token'), TOKEN, { mode: 0o600 });
    await symlink(await file(TOKEN), join(root, 'link'));
    for (const each of [join(inner, 'token'), join(root, 'link'), root])
      await expect(read({ file: each })).rejects.toMatchObject({ code: 'STORE_INSECURE' });
    await expect(read({ file: join(root, 'nowhere') })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.each([
    ['a line end', `${TOKEN}\r\nX-Evil: 1`],
    ['a line feed', `${TOKEN}\n${TOKEN}`],
    ['a space', `${TOKEN} ${TOKEN}`],
    ['a control character', `${TOKEN}\u0000`],
    ['a letter that a header cannot carry', `${TOKEN}é`],
  ])('does not have %s inside, in a file or a variable', async (_what, text) => {
    for (const given of [{ file: await file(text) }, { variable: text }]) {
      const refused = await read(given).then(String, (error: unknown) => error);
      expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
      expect(String(refused)).not.toContain(TOKEN);
    }
  });
});

import { chmod, chown, readFile, stat, symlink } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFileApprovalStore, defaultApprovalPath } from '../src/approval/approval-store.js';
import { createServerApprovals } from '../src/approval/approvals.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { hasLinks, scratch, servers } from './support/scratch.js';

const project = { id: 'p', root: '/p' };
const decision = (hash: string, kind: 'always' | 'never' = 'always') => ({ decision: kind, hash, at: 1 });

describe('decisions are stored outside of the project', () => {
  it('writes a file that only its owner can read, with hashes and no definition', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({ s: { command: 'x', env: { TOKEN: 'canary' } } }),
    });
    const store = createFileApprovalStore({ home: place.home, platform: 'linux' });
    const approvals = createServerApprovals({
      store,
      approve: () => Promise.resolve('always'),
      clock: { now: () => 77, schedule: () => expect.fail('no timer') },
    });
    const config = await place.load({ layout: layouts.mcpJson, approvals });
    const text = await readFile(store.file!, 'utf8');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      projects: {
        [config.project.id]: {
          root: place.project,
          servers: { s: [{ decision: 'always', hash: config.entries[0]?.hash, at: 77 }] },
        },
      },
    });
    expect(text).not.toContain('canary');
    if (process.platform !== 'win32') {
      expect((await stat(store.file!)).mode & 0o777).toBe(0o600);
      expect((await stat(place.path('home/.config'))).mode & 0o777).toBe(0o700);
    }
  });

  it('has a default path on each platform', () => {
    expect(defaultApprovalPath('/h', 'linux')).toContain('.config');
    expect(defaultApprovalPath('/h', 'darwin')).toContain('Application Support');
    expect(defaultApprovalPath('/h', 'win32')).toContain('AppData');
  });

  it('keeps up to twenty definitions of a name; never and always replace each other', async () => {
    const place = await scratch();
    const store = createFileApprovalStore({ path: place.path('home/a.json') });
    for (let index = 0; index < 25; index++) await store.write(project, 's', decision(`h${String(index)}`));
    await store.write(project, 's', decision('h24'));
    const kept = (await store.read('p')).get('s') ?? [];
    expect(kept).toHaveLength(20);
    expect(kept.at(-1)?.hash).toBe('h24');
    await store.write(project, 's', decision('x', 'never'));
    expect((await store.read('p')).get('s')).toEqual([decision('x', 'never')]);
    await store.write(project, 's', decision('y'));
    expect((await store.read('p')).get('s')).toEqual([decision('y')]);
    await store.write(project, 't', decision('z'));
    await store.forget('p', 's');
    expect([...(await store.read('p')).keys()]).toEqual(['t']);
    await store.forget('p');
    expect([...(await store.read('p')).keys()]).toEqual([]);
  });

  it('accepts names with a meaning in JavaScript', async () => {
    const place = await scratch();
    const store = createFileApprovalStore({ path: place.path('home/a.json') });
    expect((await store.read('constructor')).size).toBe(0);
    await store.write({ id: 'toString', root: '/' }, 'hasOwnProperty', decision('h'));
    expect([...(await store.read('toString')).keys()]).toEqual(['hasOwnProperty']);
  });

  it('loses no decision of concurrent writers', async () => {
    const place = await scratch();
    const stores = [1, 2, 3].map(() => createFileApprovalStore({ path: place.path('home/a.json') }));
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        stores[index % 3]!.write(project, `s${String(index)}`, decision('h')),
      ),
    );
    expect((await stores[0]!.read('p')).size).toBe(12);
  });

  it.each([
    ['that is not JSON', '{'],
    ['of another version', '{"version":2,"projects":{}}'],
    [
      'with other decisions',
      '{"version":1,"projects":{"p":{"root":"/","servers":{"s":[{"decision":"sure","hash":"h","at":1}]}}}}',
    ],
  ])('a file %s approves nothing and is not overwritten', async (_, content) => {
    const place = await scratch({
      'home/a.json': content,
      'project/.mcp.json': servers({ s: { command: 'x' } }),
    });
    await chmod(place.path('home/a.json'), 0o600);
    const store = createFileApprovalStore({ path: place.path('home/a.json') });
    await expect(store.read('p')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(store.write(project, 's', decision('h'))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await readFile(place.path('home/a.json'), 'utf8')).toBe(content);
    const config = await place.load({ layout: layouts.mcpJson, approvals: createServerApprovals({ store }) });
    expect(config).toMatchObject({
      servers: {},
      problems: [{ code: 'APPROVAL_FAILED', hint: expect.stringContaining('Repair the file') as string }],
    });
  });

  it.runIf(process.platform !== 'win32')('refuses a file that others may change', async () => {
    const place = await scratch();
    const store = createFileApprovalStore({ path: place.path('home/a.json') });
    await store.write(project, 's', decision('h'));
    await chmod(place.path('home/a.json'), 0o666);
    await expect(store.read('p')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('600') as string,
    });
  });

  it.runIf(hasLinks)(
    'follows a link in the home directory, so that dotfiles can be kept elsewhere',
    async () => {
      const place = await scratch({ 'home/real.json': '{"version":1,"projects":{}}' });
      await chmod(place.path('home/real.json'), 0o600);
      await symlink(place.path('home/real.json'), place.path('home/a.json'));
      await createFileApprovalStore({ path: place.path('home/a.json') }).write(project, 's', decision('h'));
      expect(await readFile(place.path('home/real.json'), 'utf8')).toContain('"h"');
    },
  );

  it.runIf(process.platform !== 'win32').each([
    ['group-writable', 'home/.config/mcp-fittings', 0o770],
    ['world-writable', 'home/.config/mcp-fittings', 0o707],
    ['group-writable, further up', 'home/.config', 0o775],
    ['world-writable home', 'home', 0o777],
  ])('refuses a file in a folder that others may change: %s', async (_, folder, mode) => {
    const place = await scratch();
    const store = createFileApprovalStore({ home: place.home, platform: 'linux' });
    await store.write(project, 's', decision('h'));
    await chmod(place.path(folder), mode);
    const refused = { code: 'CONFIG_INVALID', message: expect.stringContaining(folder) as string };
    await expect(store.read('p')).rejects.toMatchObject(refused);
    await expect(store.write(project, 't', decision('h'))).rejects.toMatchObject(refused);
    await chmod(place.path(folder), mode | 0o1000);
    expect([...(await store.read('p')).keys()]).toEqual(['s']);
  });

  it.runIf(process.platform !== 'win32')('refuses a file in a folder of another user', async () => {
    const place = await scratch();
    const store = createFileApprovalStore({ home: place.home, platform: 'linux' });
    await store.write(project, 's', decision('h'));
    // Only root can change the owner of a folder; other users mock the user id instead.
    if (process.getuid?.() === 0) await chown(place.path('home/.config'), 4242, 4242);
    else vi.spyOn(process, 'getuid').mockReturnValue(4242);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(store.read('p')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

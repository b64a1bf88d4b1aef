import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile, lstat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFileApprovalStore } from '../src/approval/approval-store.js';
import { createServerApprovals } from '../src/approval/approvals.js';
import {
  createConfigEditor,
  type ConfigChange,
  type ConfigEditorOptions,
} from '../src/edit/config-editor.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { answering, hasLinks, type Scratch, scratch, servers } from './support/scratch.js';

const run = promisify(execFile);
const posix = process.platform !== 'win32';

function editing(place: Scratch, options: Partial<ConfigEditorOptions> = {}) {
  const changes: ConfigChange[] = [];
  return { editor: place.editor({ confirm: (change) => changes.push(change) > 0, ...options }), changes };
}

describe('nothing is written without confirmation', () => {
  it('an editor requires `confirm`, and nothing else writes', async () => {
    const place = await scratch();
    const without = {
      layout: layouts.claude,
      cwd: place.project,
      home: place.home,
    } as unknown as ConfigEditorOptions;
    expect(() => createConfigEditor(without)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    const names = Object.keys(await import('../src/index.js'));
    expect(names.filter((name) => /add|remove|update|enable|disable|write|save|set/i.test(name))).toEqual([]);
  });

  it.each([
    ['no', () => false],
    ['something that is not true', () => 'yes' as unknown as boolean],
    ['nothing', () => undefined as unknown as boolean],
    ['no, later', () => Promise.resolve(false)],
  ])('`confirm` with %s writes nothing', async (_, confirm) => {
    const place = await scratch();
    const { editor } = editing(place, { confirm });
    const adding = editor.addServer({ name: 's', scope: 'user', entry: { command: 'x' } });
    await expect(adding).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await readdir(place.home)).toEqual([]);
  });

  it('`confirm` receives file, scope and both definitions', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'old' } }) });
    const { editor, changes } = editing(place);
    await editor.updateServer({ name: 's', scope: 'project', fields: { command: 'new' } });
    const file = place.path('project/.mcp.json');
    expect(changes).toEqual([
      {
        action: 'update',
        name: 's',
        scope: 'project',
        file,
        before: { command: 'old' },
        after: { command: 'new' },
      },
    ]);
  });
});

describe('add, update, remove, enable, disable by scope', () => {
  it('writes each scope to its own file', async () => {
    const place = await scratch();
    const { editor } = editing(place);
    await editor.addServer({ name: 'u', scope: 'user', entry: { command: 'u' } });
    await editor.addServer({ name: 'l', scope: 'local', entry: { command: 'l' } });
    await editor.addServer({ name: 'p', scope: 'project', entry: { command: 'p' } });
    expect(await place.json('home/.claude.json')).toEqual({
      mcpServers: { u: { command: 'u' } },
      projects: { [place.project]: { mcpServers: { l: { command: 'l' } } } },
    });
    expect(await place.json('project/.mcp.json')).toEqual({ mcpServers: { p: { command: 'p' } } });
    const config = await place.load({ layout: layouts.claude });
    expect(Object.keys(config.servers)).toEqual(['u', 'l']);
    if (posix) {
      expect((await stat(place.path('home/.claude.json'))).mode & 0o777).toBe(0o600);
      expect((await stat(place.path('project/.mcp.json'))).mode & 0o777).toBe(0o644);
    }
  });

  it('keeps comments, order, unknown keys, line endings and mode', async () => {
    const text = [
      '// settings of mine',
      '{',
      '\t"theme": "dark", // of course',
      '\t"mcpServers": {',
      '\t\t/* the first */',
      '\t\t"b": { "command": "b", "custom": [1, 2,], },',
      '\t\t// "off": { "command": "off" },',
      '\t\t"a": {',
      '\t\t\t"command": "a", // fast',
      '\t\t\t"env": { "X": "1" }',
      '\t\t}',
      '\t},',
      '\t"zzz": null',
      '}',
    ].join('\r\n');
    const place = await scratch({ 'home/.claude.json': text });
    const path = place.path('home/.claude.json');
    await chmod(path, 0o640);
    const { editor } = editing(place);
    await editor.disableServer({ name: 'b', scope: 'user' });
    await editor.updateServer({ name: 'a', scope: 'user', fields: { env: { X: '1', Y: '2' }, timeout: 5 } });
    await editor.addServer({ name: 'c', scope: 'user', entry: { url: 'https://c.example' } });
    expect(await readFile(path, 'utf8')).toBe(
      text
        .replace('"custom": [1, 2,], }', '"custom": [1, 2,], "disabled": true, }')
        .replace(
          '{ "X": "1" }\r\n\t\t}',
          '{ "X": "1", "Y": "2" },\r\n\t\t\t"timeout": 5\r\n\t\t},\r\n\t\t"c": {\r\n\t\t\t"url": "https://c.example"\r\n\t\t}',
        ),
    );
    if (posix) expect((await stat(path)).mode & 0o777).toBe(0o640);
    await editor.enableServer({ name: 'b', scope: 'user' });
    await editor.updateServer({ name: 'a', scope: 'user', fields: { env: { X: '1' }, timeout: undefined } });
    await editor.removeServer({ name: 'c', scope: 'user' });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await readdir(place.home)).toSorted()).toEqual(['.claude.json']);
  });

  it.each([
    ['claude', 'local', 'home/.claude.json'],
    ['mcpJson', 'project', 'project/.mcp.json'],
  ] as const)('keeps the byte order mark and CRLF of a file of %s, scope %s', async (layout, scope, file) => {
    const place = await scratch();
    const { editor } = editing(place, { layout: layouts[layout] });
    await editor.addServer({ name: 'first', scope, entry: { command: 'x' } });
    const path = place.path(file);
    await writeFile(path, `\ufeff${(await readFile(path, 'utf8')).replaceAll('\n', '\r\n')}`);
    await editor.addServer({ name: 'second', scope, entry: { command: 'x' } });
    expect(await readFile(path, 'utf8')).toMatch(/^\ufeff(?:[^\r\n]*\r\n)+$/);
    const config = await place.load({ layout: layouts[layout], approvals: answering('once') });
    expect(config.problems).toEqual([]);
    expect(Object.keys(config.servers)).toEqual(['first', 'second']);
  });

  it('keeps a flat file flat and adds the key to an empty one', async () => {
    const place = await scratch({ 'project/.mcp.json': '{}', 'home/.mcprc': { old: { command: 'x' } } });
    const { editor } = editing(place, { layout: layouts.mcpJson });
    await editor.addServer({ name: 's', scope: 'project', entry: { command: 'y' } });
    expect(await place.json('project/.mcp.json')).toEqual({ mcpServers: { s: { command: 'y' } } });
    const kode = editing(place, { layout: layouts.kode });
    await kode.editor.updateServer({ name: 'old', scope: 'user', fields: { command: 'z' } });
    expect(await place.json('home/.mcprc')).toEqual({ old: { command: 'z' } });
  });

  it('does not write what is already so', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x' } }) });
    const { editor, changes } = editing(place);
    const before = await stat(place.path('home/.claude.json'));
    expect(await editor.enableServer({ name: 's', scope: 'user' })).toMatchObject({ changed: false });
    expect(
      await editor.addServer({ name: 's', scope: 'user', entry: { command: 'x' }, replace: true }),
    ).toMatchObject({ changed: false });
    expect(changes).toEqual([]);
    expect((await stat(place.path('home/.claude.json'))).ino).toBe(before.ino);
  });

  it('approves what the user adds to the project', async () => {
    const place = await scratch();
    const approvals = createServerApprovals();
    const { editor } = editing(place, { approvals });
    await editor.addServer({ name: 's', scope: 'project', entry: { command: 'x' } });
    expect(Object.keys((await place.load({ layout: layouts.claude, approvals })).servers)).toEqual(['s']);
  });

  it('approves no server of the project that the user only enables, disables or updates', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({ s: { command: 'touch', args: ['/tmp/x'], disabled: true } }),
    });
    const approvals = createServerApprovals();
    const { editor } = editing(place, { approvals });
    const status = async (): Promise<string | undefined> =>
      (await place.load({ layout: layouts.claude, approvals })).entries[0]?.status;
    const target = { name: 's', scope: 'project' } as const;
    await editor.enableServer(target);
    expect(await status()).toBe('pending');
    await editor.updateServer({ ...target, fields: { timeout: 5 } });
    expect(await status()).toBe('pending');
    await editor.disableServer(target);
    expect(await status()).toBe('pending');
  });

  it('an approval, and a never, last while the user disables and enables the server', async () => {
    for (const [answer, decided] of [
      ['always', 'ready'],
      ['never', 'rejected'],
    ] as const) {
      const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'x' } }) });
      const store = createFileApprovalStore({ home: place.home });
      const approvals = createServerApprovals({ store });
      const { editor } = editing(place, { approvals });
      const status = async (): Promise<string | undefined> =>
        (await place.load({ layout: layouts.claude, approvals })).entries[0]?.status;
      await place.load({ layout: layouts.claude, approvals: answering(answer, { store }) });
      await editor.disableServer({ name: 's', scope: 'project' });
      expect(await status()).toBe(decided);
      await editor.enableServer({ name: 's', scope: 'project' });
      expect(await status()).toBe(decided);
    }
  });
});

describe('refusals and their reasons', () => {
  it('names the writable scopes, and the scope that has a missing server', async () => {
    const place = await scratch({
      'system/managed-mcp.json': servers({ m: { command: 'x' } }),
      'home/.claude.json': servers({ u: { command: 'x' } }),
    });
    const { editor } = editing(place);
    for (const scope of ['managed', 'enterprise', 'remote', 'cli', 'dynamic'] as const) {
      await expect(editor.removeServer({ name: 'm', scope })).rejects.toMatchObject({
        code: 'CONFIG_READ_ONLY',
        hint: expect.stringContaining('user, local, project') as string,
      });
    }
    await expect(editor.removeServer({ name: 'm', scope: 'user' })).rejects.toMatchObject({
      code: 'SERVER_UNKNOWN',
      hint: expect.stringContaining('read-only') as string,
    });
    await expect(editor.removeServer({ name: 'u', scope: 'project' })).rejects.toMatchObject({
      hint: expect.stringContaining('user (') as string,
    });
    await expect(editor.enableServer({ name: 'none', scope: 'user' })).rejects.toMatchObject({
      code: 'SERVER_UNKNOWN',
      hint: 'No file of the layout defines it.',
    });
  });

  it.each([
    ['a name against the rule', 'my server', { command: 'x' }, 'my-server'],
    ['an entry without transport', 's', { args: [] }, ''],
    ['a field of another type', 's', { command: 'x', args: 'y' }, ''],
  ])('%s', async (_, name, entry, hint) => {
    const place = await scratch();
    const { editor, changes } = editing(place);
    const adding = editor.addServer({ name, scope: 'user', entry });
    await expect(adding).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      ...(hint !== '' && { hint: expect.stringContaining(hint) as string }),
    });
    expect(changes).toEqual([]);
  });

  it('refuses a name that exists, unless `replace` is set', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: { command: 'x', env: { A: '1' } } }) });
    const { editor } = editing(place);
    const target = { name: 's', scope: 'user', entry: { url: 'https://x.example' } } as const;
    await expect(editor.addServer(target)).rejects.toMatchObject({ code: 'CONFIG_INVALID', server: 's' });
    await editor.addServer({ ...target, replace: true });
    expect(await place.json('home/.claude.json')).toEqual(servers({ s: { url: 'https://x.example' } }));
  });

  it.each([
    ['broken JSON', '{ "mcpServers": ', 'JSON_SYNTAX'],
    ['a server twice', '{"mcpServers":{"s":{"command":"a"},"s":{"command":"b"}}}', 'JSON_DUPLICATE_KEY'],
    ['a key twice in an entry', '{"mcpServers":{"t":{"command":"a","command":"b"}}}', 'JSON_DUPLICATE_KEY'],
  ])('does not change a file with %s', async (_, content, code) => {
    const place = await scratch({ 'home/.claude.json': content });
    const { editor } = editing(place);
    const adding = editor.addServer({ name: 'n', scope: 'user', entry: { command: 'x' } });
    await expect(adding).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { problem: code, file: place.path('home/.claude.json'), line: 1 },
    });
    expect(await readFile(place.path('home/.claude.json'), 'utf8')).toBe(content);
  });

  it('refuses a file in which another value is in the way', async () => {
    const place = await scratch({ 'home/.claude.json': '{"mcpServers": []}' });
    const { editor } = editing(place);
    await expect(
      editor.addServer({ name: 'n', scope: 'user', entry: { command: 'x' } }),
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it.runIf(hasLinks)(
    'refuses a project file that is a link out of the project, or is in a folder that is one',
    async () => {
      const place = await scratch({ 'home/real.json': '{}' });
      await symlink(place.path('home/real.json'), place.path('project/.mcp.json'));
      const { editor } = editing(place);
      await expect(
        editor.addServer({ name: 'n', scope: 'project', entry: { command: 'x' } }),
      ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await mkdir(place.path('home/.blade'));
      await symlink(place.path('home/.blade'), place.path('project/.blade'));
      const blade = editing(place, { layout: layouts.blade });
      await expect(
        blade.editor.addServer({ name: 'n', scope: 'local', entry: { command: 'x' } }),
      ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      expect(await readFile(place.path('home/real.json'), 'utf8')).toBe('{}');
      expect(await readdir(place.path('home/.blade'))).toEqual([]);
    },
  );

  it.runIf(hasLinks)('a broken link in the project creates no file outside', async () => {
    const place = await scratch();
    await symlink(place.path('home/new.json'), place.path('project/.mcp.json'));
    const adding = editing(place).editor.addServer({ name: 'n', scope: 'project', entry: { command: 'x' } });
    await expect(adding).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await readdir(place.home)).toEqual([]);
    expect((await lstat(place.path('project/.mcp.json'))).isSymbolicLink()).toBe(true);
  });

  it.runIf(hasLinks)('follows a link in the home directory and writes its target', async () => {
    const place = await scratch({ 'home/dotfiles/claude.json': '{}' });
    await symlink('dotfiles/claude.json', place.path('home/.claude.json'));
    await editing(place).editor.addServer({ name: 'n', scope: 'user', entry: { command: 'x' } });
    expect(await place.json('home/dotfiles/claude.json')).toEqual(servers({ n: { command: 'x' } }));
  });

  it('refuses if the file has changed during the confirmation', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ s: { command: 'x' }, t: { command: 't' } }),
    });
    const path = place.path('home/.claude.json');
    const meddle = (content: object) => async (): Promise<boolean> => (
      await writeFile(path, JSON.stringify(content)),
      true
    );
    const { editor } = editing(place, { confirm: meddle(servers({ s: { command: 'other' } })) });
    await expect(editor.disableServer({ name: 's', scope: 'user' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    const elsewhere = editing(place, {
      confirm: meddle({ theme: 'new', ...servers({ s: { command: 'other' } }) }),
    });
    await elsewhere.editor.disableServer({ name: 's', scope: 'user' });
    expect(await place.json(path)).toEqual({
      theme: 'new',
      ...servers({ s: { command: 'other', disabled: true } }),
    });
  });
});

describe('writes are atomic', () => {
  it('several processes with many writers lose no change, while another program reads', async () => {
    const place = await scratch({ 'home/.claude.json': '{}' });
    const reader = `for (;;) require('node:fs').readFileSync(${JSON.stringify(place.path('home/.claude.json'))})`;
    const reading = spawn(process.execPath, ['-e', reader], { stdio: 'ignore' });
    onTestFinished(async () => {
      reading.kill();
      if (reading.exitCode === null && reading.signalCode === null) await once(reading, 'exit');
    });
    const script = fileURLToPath(new URL('support/add-servers.mjs', import.meta.url));
    const writers = ['a', 'b', 'c'].map((prefix) =>
      run(process.execPath, [script, place.home, place.project, prefix, '8']),
    );
    const { editor } = editing(place);
    const own = Array.from({ length: 8 }, (_, index) =>
      editor.addServer({ name: `own${String(index)}`, scope: 'user', entry: { command: 'x' } }),
    );
    await Promise.all([...writers, ...own]);
    const { mcpServers } = (await place.json('home/.claude.json')) as { mcpServers: object };
    expect(Object.keys(mcpServers)).toHaveLength(32);
    expect(await readdir(place.home)).toEqual(['.claude.json']);
  });

  it('reports a file that cannot be written and leaves no temporary file', async () => {
    const place = await scratch({ 'home/.config': 'a file where a folder is needed' });
    const { editor } = editing(place, {
      layout: {
        ...layouts.claude,
        sources: [{ scope: 'user', base: 'home', path: '.config/x.json', servers: [['mcpServers']] }],
      },
    });
    await expect(
      editor.addServer({ name: 'n', scope: 'user', entry: { command: 'x' } }),
    ).rejects.toMatchObject({ code: 'CONFIG_READ_ONLY' });
    expect(await readdir(place.home)).toEqual(['.config']);
  });
});

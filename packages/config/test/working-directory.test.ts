import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createServerApprovals } from '../src/approval/approvals.js';
import type { ApprovalRequest } from '../src/approval/approval-request.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { resolveEntryPaths } from '../src/entry/working-directory.js';
import { answering, codes, scratch, servers } from './support/scratch.js';

const cwdOf = ({ servers: loaded }: LoadedConfig, name: string): unknown => loaded[name]?.['cwd'];

const WHERE = { command: 'node' };

describe('the folder in which a server starts', () => {
  it('is the home directory for all but the servers of a project, not the folder that was cloned', async () => {
    const place = await scratch({ 'project/mine.json': servers({ file: WHERE }) });
    await place.write('home/.claude.json', {
      ...servers({ user: WHERE }),
      projects: { [place.project]: servers({ local: WHERE }) },
    });
    const config = await place.load({
      layout: layouts.claude,
      cli: { configs: ['mine.json', JSON.stringify(servers({ inline: WHERE }))] },
      dynamic: { dynamic: WHERE },
      remote: { remote: WHERE },
    });
    for (const name of ['user', 'local', 'file', 'inline', 'dynamic', 'remote'])
      expect(cwdOf(config, name), name).toBe(place.home);
    const managed = await scratch({ 'system/managed-mcp.json': servers({ s: WHERE }) });
    expect(cwdOf(await managed.load({ layout: layouts.claude }), 's')).toBe(managed.home);
    const defaults = await scratch({ 'system/system-defaults.json': servers({ s: WHERE }) });
    expect(cwdOf(await defaults.load({ layout: layouts.gemini }), 's')).toBe(defaults.home);
  });

  it('an approved project server starts in the root of the project, from any subfolder', async () => {
    const place = await scratch({
      'project/.mcp.json': servers({ s: WHERE }),
      'project/deep/down/file': '',
    });
    const config = await place.load({
      layout: layouts.mcpJson,
      cwd: place.path('project/deep/down'),
      approvals: answering('once'),
    });
    expect(cwdOf(config, 's')).toBe(place.project);
  });

  it('uses `cwd`, and resolves a relative one against the folder of its file', async () => {
    const place = await scratch({
      'home/.gemini/settings.json': servers({
        relative: { ...WHERE, cwd: 'work' },
        absolute: { ...WHERE, cwd: tmpdir() },
        variable: { ...WHERE, cwd: '${ELSEWHERE}' },
        empty: { ...WHERE, cwd: '${NOTHING:-}' },
      }),
      'home/.gemini/work/file': '',
    });
    const config = await place.load({ layout: layouts.gemini, env: { ELSEWHERE: place.system } });
    expect(cwdOf(config, 'relative')).toBe(place.path('home/.gemini/work'));
    expect(cwdOf(config, 'absolute')).toBe(tmpdir());
    expect(cwdOf(config, 'variable')).toBe(place.system);
    expect(cwdOf(config, 'empty')).toBe(place.home);
  });

  it.each(['./tool', 'bin/../tool', './/tool', 'sub/../../.gemini/tool', '${HERE}/tool', '$HERE/tool'])(
    'resolves the command %s of a user file against the folder of that file',
    async (command) => {
      const place = await scratch({ 'home/.gemini/settings.json': servers({ s: { command } }) });
      const config = await place.load({ layout: layouts.gemini, env: { HERE: '.' } });
      expect(config.servers['s']?.['command']).toBe(place.path('home/.gemini/tool'));
    },
  );

  it('resolves a relative command of a project file against the root, and the question shows it', async () => {
    const place = await scratch({
      'project/.gemini/settings.json': servers({
        s: { command: './run', cwd: 'sub' },
        t: { command: 'npx' },
      }),
      'project/deep/file': '',
    });
    const asked: ApprovalRequest[] = [];
    const approvals = createServerApprovals({
      approve: (request) => (asked.push(request), Promise.resolve('once')),
    });
    const config = await place.load({
      layout: layouts.gemini,
      approvals,
      cwd: place.path('project/deep'),
    });
    expect(config.servers).toMatchObject({
      s: { command: place.path('project/run'), cwd: place.path('project/sub') },
      t: { command: 'npx', cwd: place.project },
    });
    const [first, second] = asked;
    expect(first).toMatchObject({
      program: place.path('project/run'),
      folder: place.path('project/sub'),
    });
    expect(first?.text).toContain(`"${place.path('project/run')}"`);
    expect(first?.text).toContain(`"${place.path('project/sub')}"`);
    expect(second).toMatchObject({ program: undefined, folder: place.project });
    expect(second?.text).toContain(`"${place.project}"`);
  });

  it('a rule for a relative command covers no project file', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: './run' } }) });
    const trusted = createServerApprovals({ trusted: [{ serverCommand: ['./run'] }] });
    expect((await place.load({ layout: layouts.mcpJson, approvals: trusted })).servers).toEqual({});
    const policy = { allow: [{ serverCommand: ['./run'] }] };
    const config = await place.load({ layout: layouts.mcpJson, approvals: answering('once'), policy });
    expect(codes(config)).toEqual(['POLICY_DENIED']);
    const exact = { allow: [{ serverCommand: [place.path('project/run')] }] };
    const allowed = await place.load({
      layout: layouts.mcpJson,
      approvals: answering('once'),
      policy: exact,
    });
    expect(Object.keys(allowed.servers)).toEqual(['s']);
  });

  it('on Windows resolves both separators and root-relative paths against the folder of the file', () => {
    const origin = { trusted: true, folder: 'D:\\users\\me' };
    const folders = { home: 'D:\\users\\me', project: 'D:\\clone' };
    const parseCommand = (command: string): unknown =>
      resolveEntryPaths({ type: 'stdio', command }, origin, folders, 'win32')['command'];
    expect(parseCommand('.\\x.exe')).toBe('D:\\users\\me\\x.exe');
    expect(parseCommand('sub/x.exe')).toBe('D:\\users\\me\\sub\\x.exe');
    expect(parseCommand('\\x.exe')).toBe('D:\\x.exe');
    expect(parseCommand('D:x.exe')).toBe('D:\\users\\me\\x.exe');
    expect(parseCommand('C:\\x.exe')).toBe('C:\\x.exe');
    expect(parseCommand('x')).toBe('x');
  });

  it.each([
    ['D:sub', String.raw`D:\users\me\sub`],
    ['C:sub', String.raw`C:\sub`],
    ['sub\\', String.raw`D:\users\me\sub`],
    ['C:/Program Files/x/', String.raw`C:\Program Files\x`],
    [String.raw`\\server\share\x`, String.raw`\\server\share\x`],
    ['//server/share/x', String.raw`\\server\share\x`],
    [String.raw`\\?\C:\x`, String.raw`\\?\C:\x`],
  ])('on Windows resolves the `cwd` %s', (cwd, resolved) => {
    const origin = { trusted: true, folder: 'D:\\users\\me' };
    const folders = { home: 'D:\\users\\me', project: 'E:\\clone' };
    expect(resolveEntryPaths({ type: 'stdio', command: 'x', cwd }, origin, folders, 'win32')['cwd']).toBe(
      resolved,
    );
  });
});

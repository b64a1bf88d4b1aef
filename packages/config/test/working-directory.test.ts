import { execFile } from 'node:child_process';
import { chmod, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createServerApprovals } from '../src/approval/approvals.js';
import type { ApprovalRequest } from '../src/approval/approval-request.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { resolveEntryPaths } from '../src/entry/working-directory.js';
import { answering, codes, scratch, servers } from './support/scratch.js';

/** Starts the program as a transport does, in the entry's `cwd`. */
async function run({ servers: loaded }: LoadedConfig, name: string): Promise<string> {
  const { command, args, cwd } = loaded[name] ?? {};
  const { stdout } = await promisify(execFile)(String(command), args as string[], { cwd: cwd as string });
  return stdout.trim();
}

const WHERE = { command: process.execPath, args: ['-p', 'process.cwd()'] };

describe('the folder in which a server starts', () => {
  it('a user server starts in the home directory, not in the folder that was cloned', async () => {
    const place = await scratch({ 'home/.claude.json': servers({ s: WHERE }) });
    expect(await run(await place.load({ layout: layouts.claude }), 's')).toBe(place.home);
  });

  it('a local server of one project starts in the home directory too', async () => {
    const place = await scratch();
    const projects = { [place.project]: servers({ s: WHERE }) };
    await place.write('home/.claude.json', { projects });
    expect(await run(await place.load({ layout: layouts.claude }), 's')).toBe(place.home);
  });

  it('managed and enterprise servers start in the home directory', async () => {
    const managed = await scratch({ 'system/managed-mcp.json': servers({ s: WHERE }) });
    expect(await run(await managed.load({ layout: layouts.claude }), 's')).toBe(managed.home);
    const defaults = await scratch({ 'system/system-defaults.json': servers({ s: WHERE }) });
    expect(await run(await defaults.load({ layout: layouts.gemini }), 's')).toBe(defaults.home);
  });

  it('servers of the command line, the host and a remote service start there too', async () => {
    const place = await scratch({ 'project/mine.json': servers({ file: WHERE }) });
    const config = await place.load({
      layout: layouts.claude,
      cli: { configs: ['mine.json', JSON.stringify(servers({ inline: WHERE }))] },
      dynamic: { dynamic: WHERE },
      remote: { remote: WHERE },
    });
    for (const name of ['file', 'inline', 'dynamic', 'remote'])
      expect(await run(config, name), name).toBe(place.home);
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
    expect(await run(config, 's')).toBe(place.project);
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
    expect(await run(config, 'relative')).toBe(place.path('home/.gemini/work'));
    expect(await run(config, 'absolute')).toBe(await realpath(tmpdir()));
    expect(await run(config, 'variable')).toBe(place.system);
    expect(await run(config, 'empty')).toBe(place.home);
  });

  it.each(['./tool', 'bin/../tool', './/tool', 'sub/../../.gemini/tool', '${HERE}/tool', '$HERE/tool'])(
    'resolves the command %s of a user file against the folder of that file',
    async (command) => {
      const place = await scratch({
        'home/.gemini/settings.json': servers({ s: { command, args: [] } }),
        'home/.gemini/tool': '#!/bin/sh\necho own\n',
        'home/tool': '#!/bin/sh\necho home\n',
        'project/tool': '#!/bin/sh\necho clone\n',
      });
      for (const file of ['home/.gemini/tool', 'home/tool', 'project/tool'])
        await chmod(place.path(file), 0o755);
      const config = await place.load({ layout: layouts.gemini, env: { HERE: '.' } });
      expect(config.servers['s']?.['command']).toBe(place.path('home/.gemini/tool'));
      // Windows runs no script by its first line.
      if (process.platform !== 'win32') expect(await run(config, 's')).toBe('own');
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

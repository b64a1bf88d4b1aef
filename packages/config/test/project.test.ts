import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defineLayout } from '../src/layout/layout.js';
import { loadConfig } from '../src/load/load-config.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { homeDirectory } from '../src/layout/locate-files.js';
import { findProject, pathId } from '../src/layout/find-project.js';
import { createFileApprovalStore } from '../src/approval/approval-store.js';
import { answering, codes, hasLinks, type Scratch, scratch, servers } from './support/scratch.js';

/** Wine has no git. */
const hasGit = process.env['UNDER_WINE'] === undefined;
const found = async (place: Scratch, cwd: string, more: object = {}) => {
  const config = await place.load({
    layout: layouts.mcpJson,
    approvals: answering('once'),
    cwd: place.path(cwd),
    ...more,
  });
  return { root: config.project.root, names: Object.keys(config.servers) };
};

describe('which folder is the project', () => {
  it('finds the nearest folder with a file of the layout or .git', async () => {
    const place = await scratch({
      'project/.git/HEAD': '',
      'project/.mcp.json': servers({ top: { command: 'x' } }),
      'project/packages/a/.mcp.json': servers({ a: { command: 'x' } }),
      'project/packages/b/src/file': '',
    });
    expect(await found(place, 'project/packages/a')).toEqual({
      root: place.path('project/packages/a'),
      names: ['a'],
    });
    expect(await found(place, 'project/packages/b/src')).toEqual({ root: place.project, names: ['top'] });
    expect(await found(place, 'project/packages/b/src', { searchParents: false })).toEqual({
      root: place.path('project/packages/b/src'),
      names: [],
    });
  });

  it('the search does not enter the home directory, except from itself', async () => {
    const place = await scratch({
      'home/.mcp.json': servers({ h: { command: 'x' } }),
      'home/work/deep/file': '',
    });
    expect(await found(place, 'home/work/deep')).toEqual({ root: place.path('home/work/deep'), names: [] });
    expect(await found(place, 'home')).toEqual({ root: place.home, names: ['h'] });
  });

  it.runIf(process.platform !== 'win32')('it stops below a folder that all users may write to', async () => {
    const place = await scratch({
      'open/.mcp.json': servers({ evil: { command: 'x' } }),
      'open/mine/file': '',
    });
    await chmod(place.path('open'), 0o1777);
    expect(await found(place, 'open/mine')).toEqual({ root: place.path('open/mine'), names: [] });
    await chmod(place.path('open'), 0o755);
    expect((await found(place, 'open/mine')).names).toEqual(['evil']);
  });

  it.runIf(process.platform !== 'win32')('it stops below a folder of another user', async () => {
    const place = await scratch({ 'theirs/.mcp.json': '{}', 'theirs/mine/file': '' });
    const options = {
      cwd: place.path('theirs/mine'),
      home: place.home,
      markers: ['.mcp.json'],
      searchParents: true,
      platform: 'linux',
    } as const;
    expect((await findProject(options)).root).toBe(place.path('theirs'));
    const owners = [(process.getuid?.() ?? 0) + 1];
    expect((await findProject({ ...options, owners })).root).toBe(place.path('theirs/mine'));
  });

  it('does not take the root of the file system for a project', async () => {
    const place = await scratch();
    expect((await found(place, 'project')).root).toBe(place.project);
  });
});

describe('one id for one project', () => {
  const idOf = async (place: Scratch, cwd: string): Promise<string> =>
    (await place.load({ layout: layouts.mcpJson, cwd: place.path(cwd) })).project.id;
  const git = (cwd: string, ...args: string[]): void => {
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args],
      { cwd, stdio: 'ignore' },
    );
  };

  it.runIf(hasGit)('worktrees of a repository share it, even in a subfolder', async () => {
    const place = await scratch({ 'project/sub/.mcp.json': servers({}) });
    git(place.project, 'init');
    git(place.project, 'add', '.');
    git(place.project, 'commit', '-m', 'x');
    git(place.project, 'worktree', 'add', place.path('tree'));
    expect(await idOf(place, 'tree')).toBe(await idOf(place, 'project'));
    expect(await idOf(place, 'tree/sub')).toBe(await idOf(place, 'project/sub'));
    expect(await idOf(place, 'tree/sub')).not.toBe(await idOf(place, 'tree'));
  });

  it.runIf(hasGit)('a folder that only claims to be a worktree does not share it', async () => {
    const place = await scratch();
    git(place.project, 'init');
    git(place.project, 'commit', '--allow-empty', '-m', 'x');
    git(place.project, 'worktree', 'add', place.path('tree'));
    const trusted = await idOf(place, 'project');
    await place.write('fake/.git', `gitdir: ${place.path('project/.git/worktrees/tree')}\n`);
    expect(await idOf(place, 'fake')).not.toBe(trusted);
    await place.write('forged/admin/gitdir', `${place.path('forged/.git')}\n`);
    await place.write('forged/admin/commondir', `${place.path('project/.git')}\n`);
    await place.write('forged/.git', 'gitdir: admin\n');
    expect(await idOf(place, 'forged')).not.toBe(trusted);
  });

  it.runIf(hasLinks)('a link to the project has the same id, and another project does not', async () => {
    const place = await scratch({ 'second/file': '' });
    await symlink(place.project, place.path('link'));
    expect(await idOf(place, 'link')).toBe(await idOf(place, 'project'));
    expect(await idOf(place, 'second')).not.toBe(await idOf(place, 'project'));
  });

  it('case, normal form and slashes do not matter where file systems ignore them', () => {
    expect(pathId('C:\\Work\\App', 'win32')).toBe(pathId('c:/work/app', 'win32'));
    expect(pathId('/Users/Me/Café', 'darwin')).toBe(pathId('/users/me/cafe\u0301', 'darwin'));
    expect(pathId('/home/App', 'linux')).not.toBe(pathId('/home/app', 'linux'));
  });
});

describe('nothing in the project changes a path', () => {
  it('does not read the project’s .env, and variables do not change home, store or system paths', async () => {
    const place = await scratch({
      'project/.env':
        'HOME=/tmp/evil\nXDG_CONFIG_HOME=.\nCLAUDE_CONFIG_DIR=.\nGEMINI_CLI_SYSTEM_SETTINGS_PATH=./s.json\nTOKEN=from-dotenv\n',
      'project/evil/.claude.json': servers({ evil: { command: 'x' } }),
      'home/.claude.json': servers({ mine: { command: 'x', env: { T: '${TOKEN:-none}' } } }),
    });
    const evil = place.path('project/evil');
    const env = {
      HOME: evil,
      USERPROFILE: evil,
      XDG_CONFIG_HOME: evil,
      APPDATA: evil,
      CLAUDE_CONFIG_DIR: evil,
    };
    const config = await place.load({ layout: layouts.claude, env });
    expect(config.servers).toEqual({
      mine: { type: 'stdio', command: 'x', env: { T: 'none' }, cwd: place.home },
    });
    expect(config.files.every(({ path }) => !path.startsWith(evil))).toBe(true);
    expect(createFileApprovalStore({ home: place.home, platform: 'linux' }).file).toBe(
      join(place.home, '.config/mcp-fittings/approvals.json'),
    );
  });

  it('ignores a home directory that a variable puts into the project', async () => {
    const name = `.fittings-test-${randomUUID()}.json`;
    const layout = defineLayout({
      name: 'test',
      sources: [{ scope: 'user', base: 'home', path: name, servers: [['mcpServers']] }],
    });
    const place = await scratch({
      [`project/fake/${name}`]: servers({ evil: { command: 'x' } }),
      'project/.git/HEAD': '',
    });
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', place.path('project/fake'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const inside = await loadConfig({ layout, cwd: place.project, env: {} });
    expect(inside).toMatchObject({
      servers: {},
      files: [{ path: join(userInfo().homedir, name), status: 'absent' }],
    });
    expect(inside.problems).toMatchObject([
      { code: 'HOME_REFUSED', message: expect.stringContaining(place.path('project/fake')) as string },
    ]);
    // Elsewhere it is a sandbox that the user set up.
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', place.home);
    const sandbox = await loadConfig({ layout, cwd: place.project, env: {} });
    expect(sandbox.files).toMatchObject([{ path: place.path(`home/${name}`) }]);
  });

  it.each([
    ['the home directory itself', 'home', {}],
    ['a folder above it', '.', {}],
    ['the home directory with files of the layout', 'home', { 'home/.gemini/settings.json': servers({}) }],
    ['the root of the file system', '/', {}],
  ])('uses HOME if the working directory is %s', async (_what, cwd, files) => {
    const place = await scratch(files);
    vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', place.home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = { layout: layouts.gemini, cwd: cwd === '/' ? cwd : place.path(cwd) };
    const config = await loadConfig({ ...options, env: {} });
    expect(config.files.map(({ path }) => path)).toContain(place.path('home/.gemini/settings.json'));
    expect(config.problems).toEqual([]);
    expect(await homeDirectory(options)).toBe(place.home);
  });

  it.each(['.git/HEAD', '.env', '.envrc', '.vscode/settings.json'])(
    'ignores HOME inside a project with %s and reports it',
    async (marker) => {
      const place = await scratch({ [`project/${marker}`]: '', 'project/fake/x': '' });
      onTestFinished(() => void vi.unstubAllEnvs());
      for (const home of ['project/fake', 'project']) {
        vi.stubEnv(process.platform === 'win32' ? 'USERPROFILE' : 'HOME', place.path(home));
        const options = { layout: layouts.gemini, cwd: place.project };
        const { problems } = await loadConfig({ ...options, env: {} });
        expect(codes({ problems })).toContain('HOME_REFUSED');
        expect(await homeDirectory(options)).toBe(userInfo().homedir);
      }
    },
  );

  it('in the home directory, project files are the user’s own', async () => {
    const place = await scratch({ 'home/.gemini/settings.json': servers({ s: { command: 'x' } }) });
    const approvals = answering('once', { approve: () => expect.fail('no question is asked') });
    const config = await place.load({ layout: layouts.gemini, cwd: place.home, approvals });
    expect(config.entries.map(({ scope, status }) => [scope, status])).toEqual([['user', 'ready']]);
  });

  it('refuses approvals that are stored in the project', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'x' } }) });
    const store = createFileApprovalStore({ path: place.path('project/.approvals/approvals.json') });
    const approvals = answering('once', { store });
    const config = await place.load({ layout: layouts.mcpJson, approvals });
    expect(config).toMatchObject({ servers: {}, problems: [{ code: 'APPROVAL_FAILED' }] });
    if (!hasLinks) return;
    await mkdir(place.path('project/inside'));
    await symlink(place.path('project/inside'), place.path('outside'));
    const linked = answering('once', {
      store: createFileApprovalStore({ path: place.path('outside/approvals.json') }),
    });
    expect((await place.load({ layout: layouts.mcpJson, approvals: linked })).servers).toEqual({});
  });
});

import { mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './support/workspace.js';

const DESKTOP = '.config/Claude/claude_desktop_config.json';
const TOKEN = 'ghp_0123456789abcdefghij';

async function writeHome({ home }: Workspace, path: string, content: unknown): Promise<string> {
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content, undefined, 2));
  return file;
}

const ownFile = async ({ home }: Workspace): Promise<unknown> =>
  JSON.parse(await readFile(join(home, '.config/mcp-fittings/servers.json'), 'utf8'));

const projectFile = async ({ project }: Workspace): Promise<string> =>
  readFile(join(project, '.mcp.json'), 'utf8').catch(() => '');

it('import without a program lists the programs whose files are here', async () => {
  await using workspace = await openWorkspace({ here: true });
  expect((await workspace.fittings(['import'])).stdout).toContain('No configuration of another program');
  await writeHome(workspace, DESKTOP, { mcpServers: { files: { command: 'x' } } });
  await mkdir(join(workspace.project, '.cursor'));
  await workspace.write('.cursor/mcp.json', { mcpServers: { theirs: { command: 'y' } } });
  const { code, stdout } = await workspace.fittings(['import']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/fittings import --from claude-desktop\n +files\n +.*claude_desktop_config\.json/);
  expect(stdout).toMatch(/fittings import --from cursor --project\n +theirs/);
  expect((await workspace.json(['import'])).value).toMatchObject({
    programs: [
      { program: 'claude-desktop', servers: ['files'], project: false },
      { program: 'cursor', servers: ['theirs'], project: true },
    ],
  });
  for (const more of [['files'], ['--all']])
    expect(await workspace.fittings(['import', ...more])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--from <program>'),
    });
});

it('import without a program names a file that it cannot read, once', async () => {
  await using workspace = await openWorkspace({ here: true });
  await mkdir(join(workspace.project, '.cursor'));
  await workspace.write('.cursor/mcp.json', '{ "mcpServers": ');
  await workspace.write('.mcp.json', '{ "mcpServers": ');
  const { code, stderr } = await workspace.fittings(['import']);
  expect(code).toBe(3);
  expect(stderr.match(/^error: /gm)).toHaveLength(2);
});

it('import from a program that has no file here says so', async () => {
  await using workspace = await openWorkspace({ here: true });
  const from = ['import', '--from', 'claude-desktop', '--all'];
  expect((await workspace.fittings(from)).stdout).toContain(
    'There is no configuration file of claude-desktop',
  );
  await writeHome(workspace, DESKTOP, { mcpServers: {} });
  expect((await workspace.fittings(from)).stdout).toContain('Nothing was imported from claude-desktop.');
});

it('import exits with 3 if a server or a file could not be imported', async () => {
  await using workspace = await openWorkspace({ here: true });
  const from = ['import', '--from', 'claude-desktop', '--all'];
  await writeHome(workspace, DESKTOP, { mcpServers: { good: { command: 'x' }, bad: { comand: 'x' } } });
  expect(await workspace.fittings(from)).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/✓ good in[^]*✗ bad: The entry has neither/),
  });
  expect(await workspace.fittings([...from, '--file', 'nowhere.json'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('The file does not exist.'),
  });
});

it('an mcp-remote line is offered for conversion, and converted when asked', async () => {
  await using workspace = await openWorkspace({ here: true });
  const args = [
    '-y',
    'mcp-remote@latest',
    'https://r.example/mcp',
    '3334',
    '--header',
    'Authorization:${AUTH}',
  ];
  await writeHome(workspace, DESKTOP, {
    mcpServers: { r: { command: 'npx', args, env: { AUTH: 'Bearer hunter2' } } },
  });
  const from = ['import', '--from', 'claude-desktop', '--all'];
  const plain = await workspace.fittings([...from, '--dry-run']);
  expect(plain.stdout).toContain('--convert-mcp-remote imports that server itself');
  expect(plain.stderr).toContain('command = "npx"');
  const run = await workspace.fittings([...from, '--convert-mcp-remote']);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('Set AUTH in the environment') });
  expect(await ownFile(workspace)).toEqual({
    mcpServers: {
      r: {
        type: 'http',
        url: 'https://r.example/mcp',
        headers: { Authorization: '${AUTH}' },
        oauth: { callbackPort: 3334 },
      },
    },
  });
  const listed = await workspace.fittings(['list']);
  expect(listed.stdout + listed.stderr).toMatch(/AUTH|\br\b/);

  const back = await workspace.fittings(['export', '--to', 'claude-desktop']);
  const written = JSON.parse(back.stdout) as unknown;
  expect(written).toMatchObject({
    mcpServers: {
      r: {
        command: 'npx',
        args: [
          ['-y', '@mcp-fittings/cli', 'bridge', 'https://r.example/mcp'],
          ['--header', 'Authorization: ${AUTH}', '--port', '3334'],
        ].flat(),
      },
    },
  });
});

it.each([
  ['a variable', { env: { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN } }, '${GITHUB_PERSONAL_ACCESS_TOKEN}'],
  ['an argument', { args: ['--token', TOKEN] }, '${S_TOKEN}'],
  ['a harmless name', { env: { VALUE: TOKEN } }, '${VALUE}'],
])('a secret in %s is not written into the project without a decision', async (_where, fields, variable) => {
  await using workspace = await openWorkspace({ here: true });
  await writeHome(workspace, DESKTOP, { mcpServers: { s: { command: 'x', ...fields } } });
  const from = ['import', '--from', 'claude-desktop', 's', '--scope', 'project'];
  const refused = await workspace.fittings(from);
  expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining('--secrets variables') });
  expect(await projectFile(workspace)).not.toContain(TOKEN);
  const asVariables = await workspace.fittings([...from, '--secrets', 'variables']);
  expect(asVariables).toMatchObject({ code: 0, stdout: expect.stringContaining('Set the variable') });
  const text = await projectFile(workspace);
  expect(text).toContain(variable);
  expect(text).not.toContain(TOKEN);
  const kept = await workspace.fittings([...from, '--secrets', 'keep', '--replace']);
  expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining('is now in the file') });
  expect(await projectFile(workspace)).toContain(TOKEN);
  for (const { stdout, stderr } of [refused, asVariables, kept]) expect(stdout + stderr).not.toContain(TOKEN);
});

it('the file of the user gets the same warning as with add', async () => {
  await using workspace = await openWorkspace({ here: true });
  await writeHome(workspace, DESKTOP, { mcpServers: { s: { command: 'x', env: { API_KEY: 'hunter2' } } } });
  const run = await workspace.fittings(['import', '--from', 'claude-desktop', 's']);
  expect(run).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The value of API_KEY is now in the file'),
  });
});

it('--dry-run shows the whole entry, escaped, and the folder that a variable became', async () => {
  await using workspace = await openWorkspace({ here: true });
  await mkdir(join(workspace.project, '.vscode'));
  await workspace.write('.vscode/mcp.json', {
    servers: { s: { command: 'x', args: ['a\u001b[2K\u009d', '-c'], cwd: '${workspaceFolder}/sub' } },
  });
  const run = await workspace.fittings(['import', '--from', 'vscode', '--project', '--all', '--dry-run']);
  expect(run.stderr).toContain(String.raw`args[0] = "a\u{1b}[2K\u{9d}"`);
  expect(run.stderr).toContain(`cwd = "${workspace.project}/sub"`);
  expect(run.stdout).toContain(`"\${workspaceFolder}" was replaced by "${workspace.project}"`);
  expect(await projectFile(workspace)).toBe('');
});

it('export leaves out servers of the project that are not approved, and says so', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'mine', '--disabled', '--', 'x']);
  await workspace.write('.mcp.json', {
    mcpServers: { theirs: { command: 'evil' }, never: { command: 'y' } },
  });
  await workspace.fittings(['approve', 'never', '--never']);
  const all = await workspace.fittings(['export', '--to', 'windsurf']);
  expect(all.code).toBe(0);
  expect(Object.keys((JSON.parse(all.stdout) as { mcpServers: object }).mcpServers)).toEqual(['mine']);
  expect(all.stderr).toContain('theirs was not exported: It came with the project and is not approved.');
  expect(all.stderr).toContain('fittings approve theirs');
  expect(all.stderr).toContain('fittings approve never');
  expect((await workspace.json(['export', '--to', 'windsurf', '-o', 'all.json'])).value).toMatchObject({
    exported: [{ name: 'mine' }],
    skipped: [{ name: 'theirs' }, { name: 'never' }],
  });
  expect(await readFile(join(workspace.project, 'all.json'), 'utf8')).not.toContain('evil');

  await workspace.fittings(['remove', 'mine']);
  const nothing = await workspace.fittings(['export', '--to', 'windsurf', '-o', 'nothing.json']);
  expect(nothing).toMatchObject({ code: 5, stdout: 'Nothing was exported.\n' });
  await expect(readFile(join(workspace.project, 'nothing.json'))).rejects.toThrow('ENOENT');

  const named = ['export', '--to', 'windsurf', 'theirs'];
  const refused = await workspace.fittings([...named, '-o', 'named.json']);
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('fittings approve theirs') });
  expect(refused.stderr).toContain('--unapproved');
  await expect(readFile(join(workspace.project, 'named.json'))).rejects.toThrow('ENOENT');
  const asked = await workspace.fittings([...named, '--unapproved']);
  expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('"evil"') });
  expect(await workspace.fittings(['export', '--to', 'windsurf', '--unapproved'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('names of the servers'),
  });

  await workspace.json(['approve', 'theirs', '--hash', await hashOf(workspace, 'theirs')]);
  expect((await workspace.fittings(named)).stdout).toContain('"evil"');
});

it('export -o writes where a link leads, keeps what is there, and minds the lock of the file', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'mine', '--disabled', '--', 'x']);
  const real = await writeHome(workspace, 'dotfiles/mcp.json', { mcpServers: { other: { command: 'y' } } });
  const link = join(workspace.project, 'mcp.json');
  await symlink(real, link);
  const run = ['export', '--to', 'windsurf', '-o', 'mcp.json'];
  expect(await workspace.fittings(run)).toMatchObject({ code: 0, stdout: `Wrote 1 server to ${link}.\n` });
  expect(await readlink(link)).toBe(real);
  expect(
    Object.keys((JSON.parse(await readFile(real, 'utf8')) as { mcpServers: object }).mcpServers),
  ).toEqual(['other', 'mine']);

  await writeFile(`${real}.lock`, '');
  const locked = await workspace.fittings(run);
  expect(locked).toMatchObject({ code: 3, stderr: expect.stringContaining('exists and is not a lock') });
  await rm(real);
  const broken = await workspace.fittings(run);
  expect(broken).toMatchObject({ code: 3, stderr: expect.stringContaining('is a broken symbolic link') });
  expect(await readlink(link)).toBe(real);
});

async function hashOf(workspace: Workspace, name: string): Promise<string> {
  const { value } = await workspace.json(['approve', name]);
  return (value as { servers: [{ hash: string }] }).servers[0].hash;
}

it('all of one run is below HOME if the working directory is HOME', async () => {
  await using workspace = await openWorkspace();
  const { home } = workspace;
  await writeHome(workspace, DESKTOP, { mcpServers: { files: { command: 'x' } } });
  const run = async (...args: readonly string[]) => workspace.fittings(args, { cwd: home });
  expect((await run('add', 'mine', '--disabled', '--', 'x')).stdout).toContain(home);
  expect((await run('import', '--from', 'claude-desktop', '--all')).stdout).toContain(home);
  expect(await ownFile(workspace)).toMatchObject({ mcpServers: { mine: {}, files: {} } });
  const list = await run('list');
  expect(list.stdout).toMatch(/mine[^]*files/);
  expect(list.stderr).toBe('');
});

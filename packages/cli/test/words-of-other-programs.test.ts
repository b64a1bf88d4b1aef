import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { everything, openWorkspace, type Workspace } from './support/workspace.js';

vi.setConfig({ testTimeout: 120_000 });

const only = ['--strict-mcp-config', '--mcp-config', 'x.json'];

/** A workspace with a configuration file that the commands are told to use. */
async function withFile(content: object | string): Promise<Workspace> {
  const workspace = await openWorkspace({ here: true });
  await workspace.write('x.json', content);
  return workspace;
}

async function inHome({ home }: Workspace, path: string, content: object | string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), typeof content === 'string' ? content : JSON.stringify(content));
}

const BROKEN = '{ "mcpServers": { "a": { "command": "x" "args": [] } } }';

it('export writes nothing if no file could be read', async () => {
  await using workspace = await withFile(BROKEN);
  const run = await workspace.fittings([...only, 'export', '--to', 'cursor', '-o', 'out.json']);
  expect(run).toMatchObject({ code: 3, stdout: '' });
  await expect(readFile(join(workspace.project, 'out.json'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it.each([['list'], ['status'], ['doctor'], ['export --to cursor']])(
  'a server whose name is invalid is named with its reason, and a field that has no effect, by %s',
  async (command) => {
    const a = { ...everything, envFile: '.env' };
    await using workspace = await withFile({
      mcpServers: { 'my server': everything, ['n'.repeat(70)]: everything, a },
    });
    const { stdout, stderr } = await workspace.fittings([...only, ...command.split(' ')]);
    const text = stdout + stderr;
    expect(text).toMatch(/my server/);
    expect(text).toMatch(/is longer than\s+64 characters/);
    expect(text).toMatch(/"envFile" has no (?:effect here|equivalent in Cursor)/);
  },
);

it.each([['list'], ['status'], ['doctor']])(
  'servers under the key of another program are told by %s',
  async (command) => {
    await using workspace = await withFile({ servers: { a: everything } });
    const run = await workspace.fittings([...only, command]);
    expect(run.stdout + run.stderr).toContain('Rename "servers" to "mcpServers".');
  },
);

it.each([['list'], ['status'], ['doctor']])(
  'a field that has no effect is told by %j %j',
  async (...args) => {
    await using workspace = await withFile({ mcpServers: { a: { ...everything, envFile: '.env' } } });
    const run = await workspace.fittings([...only, ...args.filter((arg) => typeof arg === 'string')]);
    expect(run.stdout + run.stderr).toContain('"envFile" has no effect here.');
  },
);

it('a server that its file switches off is not started', async () => {
  await using workspace = await withFile({ mcpServers: { a: { ...everything, enabled: false } } });
  const { value } = await workspace.json([...only, 'status']);
  expect(value).toMatchObject({ servers: [{ name: 'a', status: 'disabled' }] });
  const call = await workspace.fittings([...only, 'call', 'a/echo']);
  expect(call.stderr).toContain('Enable it: fittings enable a');
  for (const command of [['list', 'servers'], ['status']])
    expect((await workspace.fittings([...only, ...command])).stdout).toContain(
      '"enabled" switches off this server',
    );
});

it('the layout of Gemini CLI obeys what its settings switch off', async () => {
  await using workspace = await openWorkspace({ here: true });
  await inHome(workspace, '.gemini/settings.json', {
    mcpServers: { a: { ...everything, excludeTools: ['echo'] }, off: everything },
    mcp: { excluded: ['off'] },
  });
  const call = await workspace.fittings(['--layout', 'gemini', 'call', 'a/echo', 'message=hi']);
  expect(call.code).toBe(5);
  const { value } = await workspace.json(['--layout', 'gemini', 'status', 'off']);
  expect(value).toMatchObject({ servers: [{ name: 'off', status: 'disabled' }] });
  const doctor = await workspace.fittings(['--layout', 'gemini', 'doctor', 'off']);
  expect(doctor.stdout).toContain('"mcp.excluded"');
  const disabled = await workspace.fittings(['--layout', 'gemini', 'call', 'off/echo', 'message=hi']);
  for (const text of [doctor.stdout, disabled.stderr]) {
    expect(text).toContain('"mcp.excluded"');
    expect(text).toContain('Remove the server from that setting.');
  }
});

it('imports what Claude Code has for this folder', async () => {
  await using workspace = await openWorkspace({ here: true });
  await inHome(workspace, '.claude.json', {
    projects: { [workspace.project]: { mcpServers: { notes: { type: 'stdio', command: 'x' } } } },
  });
  const dry = await workspace.json([
    'import',
    '--from',
    'claude-code',
    '--all',
    '--dry-run',
    '--secrets',
    'keep',
  ]);
  expect(dry.value).toMatchObject({ servers: [{ name: 'notes' }] });
  expect((await workspace.fittings(['import'])).stdout).toContain('notes');
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWorkspace, type Workspace } from './support/workspace.js';

async function writeUserFile(workspace: Workspace, text: string): Promise<void> {
  const file = join(workspace.home, '.config/mcp-fittings/servers.json');
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

it('S3: list has a state for each row, and says which server of a name is used', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'github', 'http://127.0.0.1:1/mcp']);
  await workspace.write('.mcp.json', { mcpServers: { github: { command: 'evil' } } });
  const { code, stdout } = await workspace.fittings(['list']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^github +http +user +ready /m);
  expect(stdout).toMatch(/^github +stdio +project +needs approval /m);
  expect(stdout).toContain('github: the server of the scope user is used.');
  expect(stdout).toContain('review it with fittings approve github');
  const { value } = await workspace.json(['list']);
  expect(value).toMatchObject({
    servers: expect.arrayContaining([
      expect.objectContaining({ scope: 'user', state: 'ready', used: true }),
      expect.objectContaining({ scope: 'project', state: 'needs approval', used: false }),
    ]),
  });
  const wrong = await workspace.fittings(['export', '--to', 'cursor', 'nosuch']);
  expect(wrong.stderr).toContain('Configured servers: github.');
});

it('S3: a disabled server is disabled although a variable of it is not set; an invalid one has a reason', async () => {
  await using workspace = await openWorkspace({ here: true });
  const config = { command: 'x', env: { TOKEN: '${NOT_SET_ANYWHERE}' } };
  const servers = { off: { ...config, disabled: true }, on: config };
  await writeUserFile(workspace, JSON.stringify({ mcpServers: servers }));
  const { stdout } = await workspace.fittings(['list']);
  expect(stdout).toMatch(/^off +stdio +user +disabled /m);
  expect(stdout).toMatch(/^on +stdio +user +invalid /m);
  expect(stdout).toMatch(/^on: .*NOT_SET_ANYWHERE/m);
  const status = await workspace.fittings(['status', 'off']);
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('disabled') });
});

it.each(['list', 'status'])(
  'minor 5: %s does not say of a broken file that nothing is configured',
  async (command) => {
    await using workspace = await openWorkspace({ here: true });
    await writeUserFile(workspace, '{ "mcpServers": { "a": { "command": "x" } "b": {} } }');
    const { code, stdout } = await workspace.fittings([command]);
    expect(code).toBe(3);
    expect(stdout).not.toContain('No servers are configured');
  },
);

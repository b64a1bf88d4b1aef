import { expect, it, onTestFinished, vi } from 'vitest';
import { everything, openWorkspace } from './support/workspace.js';

const SECRET = 'sk-of-the-user';

it('login asks for the values of inputs at a terminal, and logout forgets them', async () => {
  await using workspace = await openWorkspace({ here: true });
  const inputs = [
    { type: 'promptString', id: 'key', description: 'The API key', password: true },
    {
      type: 'pickString',
      id: 'place',
      description: 'The region',
      options: ['eu', { label: 'United', value: 'us' }],
    },
  ];
  const mine = { ...everything, env: { KEY: '${input:key}', PLACE: '${input:place}' } };
  const other = { ...everything, env: { KEY: '${input:key}' } };
  const config = JSON.stringify({ inputs, mcpServers: { mine, other } });
  const fittings = (args: readonly string[], options = {}) =>
    workspace.fittings(['--strict-mcp-config', '--mcp-config', config, '--store', 'file', ...args], options);

  const refused = await fittings(['call', 'mine/get-env']);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('The input "key", used in "env.KEY", has no value.');
  expect(refused.stderr).toContain('fittings login mine');
  const alone = await fittings(['login', 'mine']);
  expect(alone.code).not.toBe(0);
  expect(alone.stderr).toContain('this is not a terminal');
  expect(alone.stderr).toContain('at a terminal with: fittings login mine');

  const answers = { 'The API key': `${SECRET}\r`, unencrypted: 'y', 'The region': '\u001b[B\r' };
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => timeout.mockRestore());
  const login = await fittings(['login', 'mine', '--timeout', '123'], { answers });
  expect(login).toMatchObject({ code: 0 });
  // It is the time limit of a sign-in, and not of who types.
  expect(timeout).not.toHaveBeenCalledWith(123_000);
  expect(login.stdout + login.stderr).not.toContain(SECRET);

  // The store of this login is the one of later commands.
  const later = ['--strict-mcp-config', '--mcp-config', config, 'call', 'mine/get-env'];
  const { stdout, code } = await workspace.fittings(later);
  expect(code).toBe(0);
  expect(stdout).toContain('"PLACE": "us"');
  expect(stdout).not.toContain(SECRET);
  const doctor = await fittings(['doctor', 'other']);
  expect(doctor.stdout).toContain('VARIABLE_MISSING');

  expect(await fittings(['logout', 'mine'])).toMatchObject({ code: 0 });
  expect((await fittings(['call', 'mine/get-env'])).stderr).toContain('fittings login mine');
});

it('what the file offers to choose from is not a secret, and stays in the output', async () => {
  await using workspace = await openWorkspace({ here: true });
  const inputs = [{ type: 'pickString', id: 'kind', description: 'The kind', options: ['content', 'other'] }];
  const mcpServers = { mine: { ...everything, env: { KIND: '${input:kind}' } } };
  const config = JSON.stringify({ inputs, mcpServers });
  const fittings = (args: readonly string[], options = {}) =>
    workspace.fittings(['--strict-mcp-config', '--mcp-config', config, '--store', 'file', ...args], options);

  const answers = { 'The kind': '\r', unencrypted: 'y' };
  expect(await fittings(['login', 'mine'], { answers })).toMatchObject({ code: 0 });
  const { stdout } = await fittings(['--json', 'call', 'mine/echo', 'message=hi']);
  expect(JSON.parse(stdout)).toHaveProperty('content');
});

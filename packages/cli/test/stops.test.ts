import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { FittingsError } from '@mcp-fittings/client-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errorResponse } from '../src/bridge/error-responses.js';
import { statusLines } from '../src/commands/status-table.js';
import { createStyle } from '../src/output/style.js';
import { startBridge } from './support/bridge-process.js';
import { startProtectedServer } from './support/protected-server.js';
import { always, mcp, plant } from './support/planted-server.js';
import { openWorkspace, type Workspace } from './support/workspace.js';

async function writeUserFile(workspace: Workspace, text: string): Promise<void> {
  await writeOwnFile(workspace, 'servers.json', text);
}

async function writeOwnFile({ home }: Workspace, name: string, text: string): Promise<string> {
  const file = join(home, '.config/mcp-fittings', name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

it('list has a state for each row, and says which server of a name is used', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'github', 'http://127.0.0.1:1/mcp']);
  await workspace.write('.mcp.json', { mcpServers: { github: { command: 'evil' } } });
  const { code, stdout } = await workspace.fittings(['list']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^github +http +user +ready /m);
  expect(stdout).toMatch(/^github +stdio +project +needs approval /m);
  expect(stdout).toContain('github: the server of the scope user is used.');
  expect(stdout).toContain('review it: fittings approve github');
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

it('a disabled server is disabled although a variable of it is not set; an invalid one has a reason', async () => {
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

it('a disabled server of the project waits for no approval until it is enabled', async () => {
  await using workspace = await openWorkspace({ here: true });
  const mcpServers = { off: { command: 'x', disabled: true }, other: { command: 'x', enabled: false } };
  await workspace.write('.mcp.json', { mcpServers });
  const status = await workspace.fittings(['status']);
  expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('disabled') });
  expect(status.stdout).not.toContain('approve');
  expect(await workspace.fittings(['approve'])).toMatchObject({
    code: 0,
    stdout: 'No servers need a decision.\n',
  });
  expect((await workspace.fittings(['approve', 'off'])).stdout).toBe('off: undecided\n');
  const enabled = await workspace.fittings(['enable', 'off']);
  expect(enabled).toMatchObject({ code: 0, stderr: expect.stringContaining('fittings approve off') });
});

it.each([
  ['list', 'servers', 'nosuch'],
  ['status', 'nosuch'],
  ['status', '--watch', 'github', 'nosuch'],
  ['list', 'tools', 'nosuch'],
  ['pins', 'show', 'nosuch'],
  ['call', 'nosuch/x'],
  ['prompt', 'nosuch/x'],
])('%s %s says of a name that no server has it', async (...args) => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'github', '--disabled', 'http://127.0.0.1:1/mcp']);
  const run = await workspace.fittings(args);
  expect(run).toMatchObject({ code: 3, stdout: '' });
  expect(run.stderr).toContain('No server is named "nosuch". Configured servers: github.');
  expect((await workspace.json(args)).value).toMatchObject({ error: { code: 'SERVER_UNKNOWN' } });
});

it('a file of decisions that cannot be read is named, also by approve', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.write('.mcp.json', { mcpServers: { brought: { command: 'x' } } });
  const file = await writeOwnFile(workspace, 'approvals.json', '{bad');
  for (const command of [['approve'], ['approve', 'brought'], ['call', 'brought/x'], ['status'], ['list']]) {
    const { code, stdout, stderr } = await workspace.fittings(command);
    expect(`${stdout}${stderr}`, command.join(' ')).toContain(`Cannot use the approvals file ${file}`);
    expect(`${stdout}${stderr}`, command.join(' ')).toContain('Repair the file, or delete it');
    expect(`${stdout}${stderr}`, command.join(' ')).not.toContain('fittings approve');
    if (command[0] !== 'status' && command[0] !== 'list')
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  }
  const { stdout } = await workspace.fittings(['doctor', 'brought']);
  expect(stdout).toContain(file);
  expect(stdout).toContain('fix: Repair the file, or delete it');
});

describe('a server that answers a plain 401 without its header', () => {
  const open = () => {
    const serve = mcp();
    return plant((request, response) => {
      if (request.headers['x-key'] === 'k1') return serve(request, response);
      request.resume();
      response.writeHead(401, { 'content-type': 'text/plain' }).end('no');
    });
  };
  const refusal = 'The server "bad" refuses the header X-Key.';

  it('status, call, list and login say that the header was refused', async () => {
    await using server = await open();
    await using workspace = await openWorkspace({ here: true });
    const env = { FITTINGS_STORE: 'memory' };
    for (const [name, key] of [
      ['bad', 'wrong'],
      ['good', 'k1'],
    ])
      await workspace.fittings(['add', String(name), server.url, '--header', `X-Key: ${String(key)}`]);
    const status = await workspace.fittings(['status'], { env });
    expect(status.stdout).toMatch(/● {2}good +http +connected/);
    expect(status.stdout).toMatch(/✗ {2}bad +http +failed/);
    expect(status.stdout).toContain('refuses the header X-Key');
    expect(status.stdout).not.toContain('login');
    for (const args of [
      ['call', 'bad/x'],
      ['list', 'tools', 'bad'],
      ['login', 'bad', '--method', 'browser'],
    ])
      expect(await workspace.fittings(args, { env })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(refusal),
      });
  });

  it('a server at a socket, to which no one can sign in, needs a header', async () => {
    await using workspace = await openWorkspace({ here: true });
    const socket = join(workspace.home, 's');
    const server = createServer(always(401, 'no', { 'www-authenticate': 'Bearer' })).listen(socket);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `unix://${socket}#/mcp`;
    await workspace.fittings(['add', 'sock', url]);
    for (const args of [
      ['status'],
      ['call', 'sock/x'],
      ['login', 'sock'],
      ['list', 'tools', url],
      ['doctor', 'sock'],
    ]) {
      const { code, stdout, stderr } = await workspace.fittings(['--store', 'memory', ...args]);
      expect(code, args.join(' ')).not.toBe(0);
      expect(`${stdout}${stderr}`, args.join(' ')).toContain('there is no sign-in at a socket');
      expect(`${stdout}${stderr}`, args.join(' ')).not.toContain('fittings login');
    }
  });

  it('a server without any header still asks for a sign-in', async () => {
    await using server = await open();
    await using workspace = await openWorkspace({ here: true });
    const env = { FITTINGS_STORE: 'memory' };
    await workspace.fittings(['add', 'bare', server.url]);
    expect((await workspace.fittings(['status'], { env })).stdout).toContain('fittings login bare');
    const login = await workspace.fittings(['login', 'bare', '--method', 'browser'], { env });
    expect(login.stderr).toContain(
      `${server.origin} does not support dynamic client registration: it answered with status 401.`,
    );
    expect(login.stderr).toContain('API key');
  });

  it.each([[[]], [['--no-sign-in']]])('bridge %j says it to the client', async (more) => {
    await using server = await open();
    await using workspace = await openWorkspace();
    const bridge = startBridge(['bridge', server.url, '--header', 'X-Key: wrong', ...more], workspace.home, {
      FITTINGS_STORE: 'memory',
      CI: '',
      DISPLAY: ':99',
      BROWSER: 'true',
    });
    onTestFinished(() => void bridge.child.kill());
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'p', version: '1' },
    };
    bridge.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(JSON.stringify(await bridge.next(({ id }) => id === 1))).toContain('refuses the header X-Key.');
  });
});

describe('hints are commands and options of the command line', () => {
  it('a private file without consent: the command that asks', async () => {
    await using guarded = await startProtectedServer();
    await using workspace = await openWorkspace({ here: true });
    await workspace.fittings(['add', 'sec', guarded.url]);
    const login = await workspace.fittings(['login', 'sec', '--store', 'file', '--method', 'browser']);
    expect(login.code).not.toBe(0);
    expect(login.stderr).toContain('at a terminal, where you are asked: fittings login sec --store file');
    expect(login.stderr).not.toContain('callback');
  });

  it('a bridge tells its client of --store file', () => {
    const error = new FittingsError('STORE_UNAVAILABLE', 'No keychain can be used.', {
      hint: 'Start one, or choose another token store.',
    });
    const { message } = errorResponse(1, error).error;
    expect(message).toContain('--store file, or FITTINGS_STORE=file');
    expect(message).not.toContain('token store');
  });
});

describe('smaller stops', () => {
  it('a tool of a server that waits for a sign-in: the command that signs in, and exit code 4', async () => {
    await using guarded = await startProtectedServer();
    await using workspace = await openWorkspace({ here: true });
    await workspace.fittings(['add', 'sec', guarded.url]);
    const run = await workspace.fittings(['call', 'whoami', '--store', 'memory']);
    expect(run).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Sign in: fittings login sec --store memory'),
    });
  });

  it('approve without a terminal says how to approve', async () => {
    await using workspace = await openWorkspace({ here: true });
    await workspace.write('.mcp.json', { mcpServers: { s: { command: 'x' } } });
    const run = await workspace.fittings(['approve']);
    expect(run).toMatchObject({ code: 5, stdout: expect.stringContaining('s: undecided') });
    expect(run.stderr).toContain('--hash <sha256>');
  });

  it.each([
    [['{"a":2}'], "--args '{…}'"],
    [['a=1', 'two'], 'name=value'],
    [['two'], 'fittings call get-sum/two'],
  ])('call get-sum %j', async (more, hint) => {
    await using workspace = await openWorkspace({ here: true });
    const run = await workspace.fittings(['call', 'get-sum', ...more]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) });
  });

  it.each([
    ['export', 'Supported programs: claude-code', '--to vscode'],
    ['completion', 'Supported shells: bash, zsh, fish', 'fittings completion bash'],
  ])('%s alone names the choices and an example', async (command, choices, example) => {
    await using workspace = await openWorkspace({ here: true });
    const { code, stderr } = await workspace.fittings([command]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(choices) });
    expect(stderr).toContain(example);
  });

  it('add to a broken file says in which line', async () => {
    await using workspace = await openWorkspace({ here: true });
    await writeUserFile(workspace, '{\n  "mcpServers": {\n    "a": {} "b": {}\n  }\n}\n');
    const { code, stderr } = await workspace.fittings(['add', 'c', '--', 'node']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/Cannot edit \S*servers\.json:3/);
  });

  it('a dry run of import does not say that a secret is in the file', async () => {
    await using workspace = await openWorkspace({ here: true });
    const servers = {
      gh: { command: 'gh', env: { GITHUB_TOKEN: 'ghp_0123456789abcdef0123456789abcdef0123' } },
    };
    await workspace.write('other.json', { mcpServers: servers });
    const from = ['import', '--from', 'claude-desktop', '--file', 'other.json', 'gh'];
    const { stdout } = await workspace.fittings([...from, '--project', '--secrets', 'keep', '--dry-run']);
    expect(stdout).toContain('would be in the file');
    expect(stdout).not.toContain('is now in the file');
  });

  it('a mistyped field and a mistyped type say what was probably meant', async () => {
    await using workspace = await openWorkspace({ here: true });
    const servers = { field: { comand: 'node' }, type: { type: 'stdoi', command: 'node' } };
    await writeUserFile(workspace, JSON.stringify({ mcpServers: servers }));
    const { stdout, stderr } = await workspace.fittings(['list']);
    expect(stdout + stderr).toContain('"comand" is not a field. Did you mean "command"?');
    expect(stdout + stderr).toContain('Did you mean "stdio"?');
  });

  it('a narrow terminal gets a status without the transport, but with every count', () => {
    const row = {
      name: 'everything',
      type: 'stdio',
      scope: 'user',
      file: 'servers.json',
      status: 'connected',
      tools: 13,
      prompts: 4,
      resources: 107,
      resourceTemplates: 0,
    };
    const look = { style: createStyle(false), redact: (text: string) => text };
    const narrow = statusLines([row], { ...look, columns: 60 });
    expect(narrow[1]).toMatch(/everything +connected +13 +4 +107$/);
    expect(narrow[0]).not.toContain('transport');
    expect(statusLines([row], { ...look, columns: 80 })[0]).toContain('transport');
  });
});

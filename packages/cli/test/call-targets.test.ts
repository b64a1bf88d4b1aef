import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signatureOf } from '../src/arguments/argument-text.js';
import { everything, only, openWorkspace } from './support/workspace.js';
import { startProtectedServer } from './support/protected-server.js';

it.each([
  [{ type: 'object', properties: {} }, 'tool()'],
  [
    { properties: { n: { type: 'number' }, name: { type: 'string' } }, required: ['name'] },
    'tool(name: string, n?: number)',
  ],
  [
    { properties: { tags: { type: 'array', items: { type: 'string' } }, size: { enum: ['s', 'm'] } } },
    'tool(tags?: string[], size?: s|m)',
  ],
  [
    { properties: { city: { type: 'string', enum: ['Amsterdam', 'Rotterdam', 'Utrecht'] } } },
    'tool(city?: string)',
  ],
  [
    {
      properties: Object.fromEntries(
        ['first', 'second', 'third', 'fourth'].map((name) => [name, { type: 'string' }]),
      ),
    },
    'tool(first?: string, second?: string, third?: string, …)',
  ],
  [{ properties: { ['n'.repeat(46)]: { type: 'string' } } }, `tool(${'n'.repeat(46)}?: string)`],
  [{ properties: { ['n'.repeat(47)]: { type: 'string' } } }, 'tool(…)'],
])('the signature of %j', (schema, signature) => expect(signatureOf('tool', schema)).toBe(signature));

it('a URL in the place of a server is called and listed without an entry', async () => {
  await using guarded = await startProtectedServer();
  await using workspace = await openWorkspace({ here: true });
  const store = ['--store', 'memory'];
  const call = await workspace.fittings([...store, 'call', guarded.url, 'add', 'a=1', 'b=2']);
  expect(call).toMatchObject({ code: 4, stderr: expect.stringContaining(`fittings login ${guarded.url}`) });
  const list = await workspace.fittings([...store, 'list', 'tools', guarded.url]);
  expect(list).toMatchObject({ code: 4, stderr: expect.stringContaining(`fittings login ${guarded.url}`) });
  const header = ['-H', `Authorization: Bearer ${[...guarded.shown][0] ?? 'none'}`];
  expect((await workspace.fittings([...store, 'call', 'x/add', ...header])).stderr).toContain(
    'apply only to a URL',
  );
  // Another account has another sign-in.
  const account = ['--account', 'ann@example.com', '--client-id', 'x'];
  const other = await workspace.fittings([...store, 'call', guarded.url, 'add', ...account]);
  expect(other.stderr).toContain(`fittings login ${guarded.url} --client-id x --account ann@example.com`);
  expect((await workspace.fittings([...store, 'login', 'x', ...account])).stderr).toContain(
    'apply only to a URL',
  );
  const unset = await workspace.fittings([...store, 'call', guarded.url, 'add', '--account', '${NOT_SET}@x']);
  expect(unset).toMatchObject({ code: 3, stderr: expect.stringContaining('NOT_SET') });
  const bare = await workspace.fittings([...store, 'call', guarded.url, 'a=1']);
  expect(bare).toMatchObject({ code: 2, stderr: expect.stringContaining('has to be followed by the name') });
});

it.each([
  ['weather', { notes: {} }, 'Configured servers: notes.'],
  ['weather', {}, 'Add it: fittings add --help'],
])('says what to do for the unknown server %s among %j', async (name, servers, hint) => {
  await using workspace = await openWorkspace({ here: true });
  const { code, stderr } = await workspace.fittings([...only(servers), 'status', name]);
  expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(hint) });
});

it.each([
  ['call a/x', 'It may be in the file'],
  ['read a/x', 'It may be in the file'],
  ['prompt a/x', 'It may be in the file'],
  ['complete prompt a/x y z', 'It may be in the file'],
  ['generate types a', 'It may be in the file'],
  ['bridge a', 'It may be in the file'],
  ['approve a', 'It may be in the file'],
  ['remove a', 'It may be in the file'],
  ['disable a', 'It may be in the file'],
  ['login a', 'It may be in the file'],
  ['logout a', 'It may be in the file'],
  ['export a --to vscode', 'It may be in the file'],
  ['export --to vscode', 'No server can be exported'],
  ['serve --stdio', 'No server can be served'],
  ['pins', ''],
  ['approve', ''],
  ['doctor', ''],
  ['status', ''],
  ['list', ''],
  ['list tools', ''],
])('%s names the line of a file that cannot be read, and ends with 3', async (command, hint) => {
  await using workspace = await openWorkspace({ here: true });
  const folder = join(workspace.home, '.config/mcp-fittings');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'servers.json'), '{ "mcpServers": {\n"a": { "command": "x" }\n"b": {} } }');
  const { code, stdout, stderr } = await workspace.fittings(command.split(' '));
  expect({ code, text: stdout + stderr }).toEqual({
    code: 3,
    text: expect.stringContaining('servers.json:3'),
  });
  expect(stderr).toContain(hint);
  expect(stdout).not.toContain('No servers are configured');
});

it('a prompt without its arguments says how to write it', async () => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings([...only({ everything }), 'prompt', 'everything/args-prompt']);
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Usage: fittings prompt everything/args-prompt city=<string> [state=<string>]',
    ),
  });
});

it.each([
  [['u', 'example.com/mcp'], 'Write https://example.com/mcp'],
  [['u', 'localhost:3000'], 'Write https://localhost:3000'],
  [['t', 'npx', '-y', 'foo'], 'Put -- before a program'],
])('add %j is refused with what to write', async (args, hint) => {
  await using workspace = await openWorkspace({ here: true });
  expect(await workspace.fittings(['add', ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(hint),
  });
});

it("export takes the user's own server, in spite of one of the project with its name", async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'github', '--', 'mine']);
  await workspace.write('.mcp.json', { mcpServers: { github: { command: 'theirs' } } });
  for (const names of [[], ['github']]) {
    const run = await workspace.fittings(['export', ...names, '--to', 'vscode']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toEqual({ servers: { github: { type: 'stdio', command: 'mine' } } });
  }
});

it('a tool that asks its user says, without a terminal, where it can be answered', async () => {
  await using workspace = await openWorkspace({ here: true });
  const sdk = (path: string) => JSON.stringify(import.meta.resolve(`@modelcontextprotocol/sdk/${path}`));
  const script = await workspace.write(
    'asks.mjs',
    `import { McpServer } from ${sdk('server/mcp.js')};
import { StdioServerTransport } from ${sdk('server/stdio.js')};
const mcp = new McpServer({ name: 'asks', version: '1' });
mcp.registerTool('ask', {}, () => mcp.server.elicitInput({ message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }));
await mcp.connect(new StdioServerTransport());`,
  );
  const servers = only({ asks: { command: process.execPath, args: [script] } });
  expect(await workspace.fittings([...servers, 'call', 'asks/ask'])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('does not support'),
    stderr: expect.stringContaining('Call it at a terminal'),
  });
});

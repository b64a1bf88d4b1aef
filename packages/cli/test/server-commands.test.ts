import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everythingServer, type EverythingServer } from '../../../scripts/everything-server.js';
import { everything, only, openWorkspace } from './support/workspace.js';

// One process for all: to start the reference server takes ten times as long as to talk to it.
let server: EverythingServer;
let remote: { readonly url: string };
let ONE: readonly string[];
let SERVERS: readonly string[];
beforeAll(async () => {
  server = await everythingServer();
  remote = { url: server.url };
  ONE = ['--store', 'memory', ...only({ everything: remote })];
  SERVERS = ['--store', 'memory', ...only({ everything: remote, missing: { command: 'no-such-program' } })];
});
afterAll(() => server[Symbol.asyncDispose]());

it('status tells the state, the counts and the last error of each server', async () => {
  await using workspace = await openWorkspace({ here: true });
  const text = await workspace.fittings([
    'status',
    ...only({ everything, missing: { command: 'no-such-program' } }),
  ]);
  expect(text.code).toBe(1);
  expect(text.stdout).toMatch(/^● {2}everything +stdio +connected +13 +4 +\d+$/m);
  expect(text.stdout).toMatch(/^✗ {2}missing +stdio +failed/m);
  expect(text.stdout).toContain('The command "no-such-program" was not found');
  expect(text.stdout).toContain('2 servers, 1 connected, 1 not usable, 13 tools');

  const { value } = await workspace.json(['status', ...SERVERS]);
  expect(value).toMatchObject({
    totals: { servers: 2, connected: 1, errored: 1, tools: 13 },
    servers: [
      { name: 'everything', status: 'connected', tools: 13, scope: 'cli' },
      { name: 'missing', status: 'failed', error: { code: 'COMMAND_NOT_FOUND' } },
    ],
  });
  expect((await workspace.fittings(['status', ...ONE])).code).toBe(0);
  expect((await workspace.fittings(['status', 'unknown', ...ONE])).code).toBe(3);
});

it('status --watch without a terminal: a line for each change', async () => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['status', '--watch', '--json', ...SERVERS], {
    interruptWhen: (text) => text.includes('"connected"') && text.includes('"failed"'),
  });
  expect(run.code).toBe(130);
  const documents = run.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(documents.pop()).toMatchObject({ error: { code: 'ABORTED' } });
  const events = documents as { server: { name: string; status: string } }[];
  expect(events.filter(({ server }) => server.name === 'everything').at(-1)?.server.status).toBe('connected');
  expect(events.filter(({ server }) => server.name === 'missing').at(-1)?.server.status).toBe('failed');
});

it('status --watch counts one tool as one', async () => {
  const answers = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'one', version: '1' },
    },
    'tools/list': { tools: [{ name: 'only', inputSchema: { type: 'object' } }] },
  };
  const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    const result = ${JSON.stringify(answers)}[method];
    const answer = result === undefined ? { error: { code: -32601, message: 'unknown' } } : { result };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  })`;
  await using workspace = await openWorkspace({ here: true });
  const one = { command: process.execPath, args: ['-e', program] };
  const run = await workspace.fittings(['status', '--watch', ...only({ one })], {
    interruptWhen: (text) => text.includes('tool'),
  });
  expect(run.stdout).toMatch(/one: connected, 1 tool$/m);
});

it('lists tools, prompts and resources; one that failed is noted and shows in the exit code', async () => {
  await using workspace = await openWorkspace({ here: true });
  const tools = await workspace.fittings(['list', 'tools', ...SERVERS]);
  expect(tools.stdout).toMatch(/^ {2}echo\(message: string\) +Echoes back the input string$/m);
  expect(tools.stderr).toMatch(/^error: .*no-such-program/m);
  expect(tools.code).toBe(3);
  expect((await workspace.fittings(['list', 'prompts', ...ONE])).stdout).toMatch(/args-prompt/);
  const { value } = await workspace.json(['list', 'resources', 'everything', ...ONE]);
  expect(value).toMatchObject({
    resourceTemplates: expect.arrayContaining([expect.objectContaining({ server: 'everything' })]),
  });
  const verbose = await workspace.fittings(['list', 'tools', '--verbose', ...ONE]);
  expect(verbose.stdout).toContain('a=<number>');
  expect(verbose.stdout).toMatch(/includeImage=<boolean> {2}\(optional; default: false\)/);
  expect((await workspace.fittings(['list', 'things', ...ONE])).code).toBe(2);
});

it('calls a tool with arguments typed by its schema', async () => {
  await using workspace = await openWorkspace({ here: true });
  const sum = await workspace.fittings(['call', 'everything/get-sum', 'a=2', 'b=3', ...ONE]);
  expect(sum).toMatchObject({ code: 0, stdout: 'The sum of 2 and 3 is 5.\n', stderr: '' });
  const bare = await workspace.json(['call', 'echo', 'message=5', ...SERVERS]);
  expect(bare.value).toMatchObject({
    server: 'everything',
    tool: 'echo',
    content: [{ type: 'text', text: 'Echo: 5' }],
  });
  const piped = await workspace.fittings(['call', 'everything/get-sum', '--args', '-', ...ONE], {
    stdin: '{"a":1,"b":1}',
  });
  expect(piped.stdout).toBe('The sum of 1 and 1 is 2.\n');
  await workspace.write('args.json', { a: 4, b: 4 });
  const file = await workspace.fittings([
    'call',
    'everything/get-sum',
    '--args',
    '@args.json',
    'b=1',
    ...ONE,
  ]);
  expect(file.stdout).toBe('The sum of 4 and 1 is 5.\n');
});

const USAGE = 'Usage: fittings call everything/get-sum a=<number> b=<number>';

it.each([
  ['a value of the wrong type', ['a=2', 'b=x'], ['The argument "b" must be a number.', USAGE]],
  ['an argument that is missing', ['a=2'], ['b=<number> is missing.', USAGE]],
  ['no arguments', [], ['a=<number>, b=<number> are missing.', USAGE]],
  ['a name that is nearly right', ['aa=2'], ['Did you mean a']],
  ['no pair', ['a'], ['not in the form name=value']],
  ['no JSON', ['--args', '{'], ['not valid JSON']],
  ['JSON of the wrong type', ['--args', '{"a":1,"b":"x"}'], ['are invalid', USAGE]],
])('refuses %s before anything is sent', async (_, args, words) => {
  await using workspace = await openWorkspace({ here: true });
  const run = await workspace.fittings(['call', 'everything/get-sum', ...args, ...ONE]);
  expect(run.code).toBe(2);
  for (const each of words) expect(run.stderr).toContain(each);
  expect(run.stderr).not.toContain('Call it again');
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  const { value } = await workspace.json(['call', 'everything/get-sum', ...args, ...ONE]);
  expect(value).toMatchObject({ error: { code: 'ARGUMENTS_INVALID', delivery: 'not-sent' } });
});

it('an unknown tool gets the nearest names; an unknown server too', async () => {
  await using workspace = await openWorkspace({ here: true });
  const tool = await workspace.fittings(['call', 'everything/ecko', ...ONE]);
  expect(tool).toMatchObject({ code: 2, stderr: expect.stringContaining('echo') });
  const bare = await workspace.fittings(['call', 'ecko', ...SERVERS]);
  expect(bare.stderr).toMatch(/Did you mean echo/);
  const server = await workspace.fittings(['list', 'tools', 'everythin', ...ONE]);
  expect(server).toMatchObject({ code: 3, stderr: expect.stringContaining('Did you mean everything?') });
});

it('a tool that two servers have is not called, and the hint says how to choose', async () => {
  await using workspace = await openWorkspace({ here: true });
  const both = await workspace.fittings(['call', 'echo', 'message=x', ...only({ one: remote, two: remote })]);
  expect(both.code).toBe(2);
  expect(both.stderr).toContain('one/echo, two/echo');
});

it('reads a resource, as text and into a file', async () => {
  await using workspace = await openWorkspace({ here: true });
  const uri = 'demo://resource/static/document/features.md';
  const text = await workspace.fittings(['read', `everything/${uri}`, ...ONE]);
  expect(text.stdout).toContain('# ');
  const { value } = await workspace.json(['read', uri, '-o', 'features.md', ...ONE]);
  const bytes = await readFile(join(workspace.project, 'features.md'));
  expect(value).toMatchObject({ server: 'everything', uri, bytes: bytes.length });
  expect(bytes.length).toBeGreaterThan(100);
  const blob = await workspace.fittings([
    'read',
    'everything/demo://resource/dynamic/blob/1',
    '-o',
    'blob',
    ...ONE,
  ]);
  expect(blob.code).toBe(0);
  expect((await readFile(join(workspace.project, 'blob'))).length).toBeGreaterThan(10);
});

it('gets a prompt and completes an argument', async () => {
  await using workspace = await openWorkspace({ here: true });
  const prompt = await workspace.fittings(['prompt', 'everything/args-prompt', 'city=Berlin', ...ONE]);
  expect(prompt.stdout).toBe("user: What's weather in Berlin?\n");
  const completed = await workspace.fittings([
    'complete',
    'prompt',
    'everything/completable-prompt',
    'department',
    'E',
    ...ONE,
  ]);
  expect(completed.stdout).toBe('Engineering\n');
});

it('a lazy server is connected when something of it is asked for', async () => {
  await using workspace = await openWorkspace({ here: true });
  const lazy = only({ everything: { ...everything, lazy: true } });
  expect((await workspace.fittings(['status', ...lazy])).stdout).toMatch(/disconnected/);
  expect((await workspace.fittings(['call', 'echo', 'message=x', ...lazy])).stdout).toBe('Echo: x\n');
});

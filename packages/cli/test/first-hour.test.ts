import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Output } from '../src/output/output.js';
import { buildArguments } from '../src/arguments/build-arguments.js';
import { wrapWords } from '../src/output/text-width.js';
import { everything, only, openWorkspace } from './support/workspace.js';

const SILENT = { command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)'] };

it('list without a kind lists the configured servers and connects to none', async () => {
  await using workspace = await openWorkspace({ here: true });
  await workspace.fittings(['add', 'web', 'http://127.0.0.1:1/mcp']);
  await workspace.fittings(['add', 'off', '--disabled', '--', 'no-such-program']);
  const mcpServers = { shared: { command: 'evil' }, socket: { url: 'wss://x.example/mcp' } };
  await workspace.write('.mcp.json', { mcpServers });
  const { code, stdout } = await workspace.fittings(['list']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/web +http +user +ready +.*servers\.json/);
  expect(stdout).toMatch(/off +stdio +user +disabled/);
  expect(stdout).toMatch(/shared +stdio +project +needs approval +.*\.mcp\.json/);
  expect(stdout).toMatch(/socket +ws +project +needs approval/);
  const { value } = await workspace.json(['list', 'servers', 'web']);
  expect(value).toMatchObject({ servers: [{ name: 'web', scope: 'user', state: 'ready' }] });
  const wrong = await workspace.fittings(['list', 'tool']);
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('servers, tools, prompts, resources'),
  });
});

it.each([
  [['web', 'https://x.example/mcp'], { url: 'https://x.example/mcp' }],
  [['web', '--transport', 'http', 'HTTPS://x.example/mcp'], { type: 'http', url: 'HTTPS://x.example/mcp' }],
  [['web', '--', 'http://127.0.0.1:1/mcp'], { url: 'http://127.0.0.1:1/mcp' }],
  [['web', 'wss://x.example/mcp'], { type: 'ws', url: 'wss://x.example/mcp' }],
])('a URL in the place of a command is a URL: %j', async (args, entry) => {
  await using workspace = await openWorkspace({ here: true });
  expect((await workspace.fittings(['add', ...args])).code).toBe(0);
  const file = join(workspace.home, '.config/mcp-fittings/servers.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers: { web: entry } });
});

it.each([
  [[], ['node', './server.js', '.'], ['node', '$/server.js', '$']],
  [[], ['node', 'dist/index.js', 'dist', '--to=./dist'], ['node', '$/dist/index.js', 'dist', '--to=./dist']],
  [[], ['./server.js', './missing', '${HOME}/server.js'], ['$/server.js', './missing', '${HOME}/server.js']],
  [[], ['server.js', 'server.js'], ['server.js', '$/server.js']],
  [
    ['--cwd', 'dist'],
    ['node', './index.js'],
    ['node', './index.js'],
  ],
  [
    ['--cwd', 'dist'],
    ['./server.js', './index.js'],
    ['$/server.js', './index.js'],
  ],
  [
    ['--cwd', '${workspaceFolder}'],
    ['node', './server.js'],
    ['node', './server.js'],
  ],
  [
    ['-s', 'project'],
    ['node', './server.js'],
    ['node', './server.js'],
  ],
])(
  'add: a path here is absolute in an entry that starts elsewhere: %j %j',
  async (options, words, stored) => {
    await using workspace = await openWorkspace({ here: true });
    const { project, home } = workspace;
    await workspace.write('server.js', '');
    await mkdir(join(project, 'dist'));
    await workspace.write('dist/index.js', '');
    const added = await workspace.fittings(['add', 's', ...options, '--', ...words]);
    expect(added.code, added.stderr).toBe(0);
    const file = options.includes('project')
      ? join(project, '.mcp.json')
      : join(home, '.config/mcp-fittings/servers.json');
    const [command, ...args] = stored.map((word) =>
      /^\$(?!\{)/.test(word) ? join(project, word.slice(1)) : word,
    );
    const [, given] = options;
    const folder = given === 'dist' ? join(project, given) : given;
    const cwd = options.includes('--cwd') ? { cwd: folder } : {};
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      mcpServers: { s: { command, args, ...cwd } },
    });
    expect(added.stderr.includes('does not start in this folder')).toBe(stored.join(' ').includes('$/'));
  },
);

it.each([
  [
    ['foo', '--header', 'X: y', '--disabled', '--env', 'A=b', '--cwd', '/tmp'],
    { 'What kind': '\r', 'Command, as': 'cat\r', 'Who is it for?': '\r' },
    { foo: { command: 'cat', cwd: '/tmp', env: { A: 'b' }, headers: { X: 'y' }, disabled: true } },
  ],
  [
    ['foo', '--type', 'sse', '--scope', 'user'],
    { 'URL of the server': 'https://x.example/sse\r' },
    { foo: { type: 'sse', url: 'https://x.example/sse' } },
  ],
  [
    ['--url', 'https://x.example/mcp', '-s', 'user'],
    { 'Name of': 'foo\r' },
    { foo: { url: 'https://x.example/mcp' } },
  ],
  [
    ['--entry', '{"command":"cat"}', '--replace'],
    { 'Name of': 'foo\r', 'Who is it for?': '\r' },
    { foo: { command: 'cat' } },
  ],
])('add: asks only for what is missing: %j', async (args, answers, mcpServers) => {
  await using workspace = await openWorkspace({ here: true });
  const added = await workspace.fittings(['add', ...args], { answers });
  expect(added.code, added.stderr).toBe(0);
  const file = join(workspace.home, '.config/mcp-fittings/servers.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mcpServers });
});

it('add: a server that is a file here starts', async () => {
  await using workspace = await openWorkspace({ here: true });
  const {
    command,
    args: [script = '', ...args],
  } = everything;
  await workspace.write('server.mjs', `await import(${JSON.stringify(pathToFileURL(script).href)});`);
  await workspace.fittings(['add', 'mine', '--', command, './server.mjs', ...args]);
  expect(await workspace.fittings(['status', 'mine'])).toMatchObject({ code: 0 });
});

it.each([
  [['web', 'https://x.example/mcp', 'more']],
  [['web', '--url', 'https://a.example', 'https://b.example']],
])('%j is refused', async (args) => {
  await using workspace = await openWorkspace({ here: true });
  expect(await workspace.fittings(['add', ...args])).toMatchObject({ code: 2 });
});

it('a call does not wait for a server that never answers', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ hang: SILENT, everything });
  const run = await workspace.fittings([...servers, 'call', 'get-sum', 'a=1', 'b=2']);
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('3') });
  expect(run.stderr).toContain('Did not wait for: hang.');
});

it('list prints each server as it comes, and Ctrl-C keeps what was printed', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ hang: SILENT, everything });
  const run = await workspace.fittings([...servers, 'list', 'tools'], {
    interruptWhen: (text) => text.includes('get-sum'),
  });
  expect(run).toMatchObject({ code: 130, stdout: expect.stringContaining('echo') });
  expect(run.stderr.trim()).toBe('error: Interrupted.');
});

it.each([
  { here: false, args: ['status'] },
  { here: true, args: ['call', 'hang/x'] },
  { here: true, args: ['doctor'] },
])('Ctrl-C has one text and one code: %j', async ({ here, args }) => {
  await using workspace = await openWorkspace({ here });
  const marker = join(workspace.home, 'started');
  const script = `require('fs').writeFileSync(${JSON.stringify(marker)}, ''); console.error('started'); setInterval(() => undefined, 1000)`;
  const servers = only({ hang: { command: process.execPath, args: ['-e', script] } });
  const run = workspace.fittings(['--verbose', ...servers, ...args], {
    interruptWhen: (text) => text.length > 0,
  });
  const { code, stderr } = await run;
  expect(code).toBe(130);
  expect(stderr).toContain('error: Interrupted.');
  // Nothing was sent that could have been carried out.
  expect(stderr).not.toContain('may have carried it out');
});

it('Ctrl-C during a call says in JSON too that the server may have carried it out', async () => {
  await using workspace = await openWorkspace();
  const args = ['--json', '--verbose', ...only({ everything }), 'call'];
  const run = await workspace.fittings(
    [...args, 'everything/trigger-long-running-operation', 'duration=600', 'steps=1200'],
    { interruptWhen: (text) => text.includes('of 1200') },
  );
  expect(run.code).toBe(130);
  const sentence = 'The call had already been sent: the server may have carried it out.';
  expect(JSON.parse(run.stdout)).toMatchObject({
    error: { code: 'ABORTED', message: 'Interrupted.', delivery: 'unknown', hint: sentence },
  });
});

it('FITTINGS_STORE names the store, and a wrong name is refused', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ everything });
  const wrong = await workspace.fittings(['status', ...servers], { env: { FITTINGS_STORE: 'safe' } });
  expect(wrong).toMatchObject({ code: 3, stderr: expect.stringContaining('keychain, file, memory') });
  const consentless = await workspace.fittings(
    ['logout', 'gone', ...only({ gone: { url: 'http://127.0.0.1:1' } })],
    {
      env: { FITTINGS_STORE: 'memory' },
    },
  );
  expect(consentless.code).toBe(0);
});

it('doctor with many servers prints no warning of Node.js', async () => {
  await using workspace = await openWorkspace();
  const names = Array.from({ length: 12 }, (_, index) => `s${String(index)}`);
  const servers = only(Object.fromEntries(names.map((name) => [name, { command: 'no-such-program' }])));
  const run = await workspace.fittings([...servers, 'doctor']);
  expect(run).toMatchObject({ code: 1, stderr: '' });
});

it('every --timeout is in seconds', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ hang: SILENT });
  const run = await workspace.json([...servers, 'doctor', '--timeout', '0.3']);
  expect(JSON.stringify(run.value)).toContain('300 ms');
  const help = await Promise.all(
    ['doctor', 'call', 'login'].map(async (name) => (await workspace.fittings([name, '--help'])).stdout),
  );
  for (const text of help) expect(text).toContain('--timeout <seconds>');
});

it('a note stands above the live lines, which are painted again below it', () => {
  const written: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      done();
    },
  });
  const terminal = Object.assign(stderr, { isTTY: true });
  const io = { stdout: terminal, stderr: terminal, env: {} };
  const output = new Output(io, { json: false, verbose: false, color: false });
  {
    using region = output.openLiveRegion();
    region?.paint(() => ['one', 'two']);
    written.length = 0;
    output.note('warning');
    const [cleared, note, painted] = written;
    expect(cleared).toContain('\u001b[2A');
    expect(note).toBe('warning\n');
    expect(painted).toMatch(/one[^]*two/);
  }
  written.length = 0;
  output.note('after');
  expect(written).toEqual(['after\n']);
});

it('list --verbose shows choices, defaults, descriptions and members', async () => {
  await using workspace = await openWorkspace({ here: true });
  const { stdout } = await workspace.fittings([...only({ everything }), 'list', 'tools', '--verbose']);
  expect(stdout).toMatch(/messageType=<error\|success\|debug>/);
  expect(stdout).toMatch(/duration=<number> {2}\(optional; default: 10\) {2}Duration/);
});

it('notes wrap at words', () => {
  const text = 'error: The server "everything" did not answer in time. Increase the time-out.';
  const lines = wrapWords(text, 30);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(30);
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toBe(text);
  expect(wrapWords(text, undefined)).toEqual([text]);
});

it('an address that is longer than a line stays whole, on a line of its own, with its indent', () => {
  const url = `https://auth.example/authorize?state=${'x'.repeat(90)}`;
  const text = `Sign in to notion in your browser. If it does not open, go to:\n  ${url}`;
  expect(wrapWords(text, 40)).toEqual([
    'Sign in to notion in your browser. If it',
    '  does not open, go to:',
    `  ${url}`,
  ]);
  expect(wrapWords(`    open ${url} and come back`, 40)).toEqual([
    '    open',
    `      ${url}`,
    '      and come back',
  ]);
});

it('an argument sets members that an open object does not declare', () => {
  const schema = {
    type: 'object',
    properties: { extra: { type: 'object' }, shut: { type: 'object', additionalProperties: false } },
  };
  expect(buildArguments({ pairs: ['extra.x.y=1', 'extra.z=a'] }, schema)).toEqual({
    extra: { x: { y: 1 }, z: 'a' },
  });
  expect(() => buildArguments({ pairs: ['shut.x=1'] }, schema)).toThrow('no argument "shut.x"');
});

it('call -o writes an image to a file', async () => {
  await using workspace = await openWorkspace({ here: true });
  const servers = only({ everything });
  const run = await workspace.fittings([...servers, 'call', 'everything/get-tiny-image', '-o', 'tiny.png']);
  expect(run.code).toBe(0);
  const file = join(workspace.project, 'tiny.png');
  expect((await readFile(file)).subarray(1, 4).toString()).toBe('PNG');
  expect((await stat(file)).size).toBeGreaterThan(100);
  const none = await workspace.fittings([...servers, 'call', 'everything/echo', 'message=a', '-o', 'x']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('without -o') });
});
